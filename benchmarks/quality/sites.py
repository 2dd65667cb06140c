"""Recipes: which pages of which Debian package make a site, and where their main content is."""

from collections import namedtuple

from benchmarks.quality.kinds import KINDS

PAGES = 150  # of a site: enough for a sample of 100, and a site is made in a minute

# Pages in HTML. package, and root in it: where they are
# language: its English name, which picks a stop list for extractors that need one
# glob, skip: which files under root, and a regular expression on their names that leaves some out
# main: CSS selectors of the main content
# drop: CSS selectors inside it of what is not content
# unmark: CSS selectors of inline marks that are no words of the content; their lines stay content
# repair: whether to let libxml2 mend the pages first, being so broken that markers would move things
Web = namedtuple("Web", "package root language glob skip main drop unmark repair",
                 defaults=("English", "*.html", "", ("body",), (), (), False))

# Manual pages. translators: how the heading of the section on their translators begins
Man = namedtuple("Man", "package root language translators")


def spread(items):
    """At most PAGES of `items`, evenly."""
    if len(items) <= PAGES:
        return items
    return [items[i * len(items) // PAGES] for i in range(PAGES)]


# Parameters may be fitted on these.
OPEN = {
    # Sphinx, its classic theme
    "python": Web(
        "python3.11-doc", "usr/share/doc/python3.11/html", glob="**/*.html",
        skip=r"(^|/)(genindex|search|py-modindex|contents|download)",
        main=("div.body",), unmark=("a.headerlink",)),
    # DocBook
    "postgresql": Web(
        "postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html", skip=r"^(bookindex|index)\.html",
        drop=("div.navheader", "div.navfooter"), unmark=("a.id_link",)),
    # XSLT of its own
    "apache": Web(
        "apache2-doc", "usr/share/doc/apache2-doc/manual/en", glob="**/*.html",
        skip=r"sitemap|quickreference", main=("#page-content",), unmark=("a.permalink",),
        drop=("div.toplang", "div.bottomlang", "#path", "div.up", "div.top", "#comments_section")),
    # Tcl scripts of its own
    "sqlite": Web(
        "sqlite3-doc", "usr/share/doc/sqlite3", glob="**/*.html",
        skip=r"(^|/)(index|keyword_index|doclist|sitemap|toc|chronology|changes|releaselog/current)|-",
        drop=("div.menu", "div.searchmenu", "div.tagline", "div.nosearch > a[href$='index.html']")),
    # gtk-doc
    "gtk": Web(
        "libgtk-3-doc", "usr/share/gtk-doc/html/gtk3", skip=r"^(index|api-index|annotation|ix)",
        drop=("table.navigation", "div.footer", "div.navheader", "div.navfooter")),
    # javadoc
    "openjdk": Web(
        "openjdk-17-doc", "usr/share/doc/openjdk-17-jre-headless/api", glob="java.base/**/*.html",
        skip=r"class-use|package-(use|tree)", main=("main",)),
    # mdBook
    "rustbook": Web(
        "rust-doc", "usr/share/doc/rust-doc/html/book", skip=r"^(print|README|SUMMARY|index|toc)",
        main=("main",)),
    # DocBook, in parts untranslated
    "gimp_de": Web(
        "gimp-help-de", "usr/share/gimp/2.0/help/de", "German", skip=r"^index",
        drop=("div.navheader", "div.navfooter")),
    # Publican
    "handbook_fr": Web(
        "debian-handbook", "usr/share/doc/debian-handbook/html/fr-FR", "French", skip=r"^(index|ix)",
        drop=("#banner", "#title", "ul.docnav")),
    # manual pages
    "man_es": Man("manpages-es", "usr/share/man/es", "Spanish", "TRADUCCI"),
}

# Other generators, other languages and scripts: what is chosen must hold here as well.
OTHERS = {
    # MediaWiki, with a menu by section
    "cppreference": Web(
        "cppreference-doc-en-html", "usr/share/cppreference/doc/html/en", glob="**/*.html",
        main=("#content",), unmark=(".editsection",),
        drop=("#siteSub", "#contentSub", "#catlinks", "div.printfooter", "div.t-navbar")),
    # Sphinx, the theme of Read the Docs, with a menu by section; its directories with an f or h
    "kernel": Web(
        "linux-doc-6.1", "usr/share/doc/linux-doc-6.1/html", glob="[fh]*/**/*.html",
        main=("div.document",), unmark=("a.headerlink",)),
    # Texinfo, in parts untranslated, with each manual's whole contents on every page
    "lilypond_ja": Web(
        "lilypond-doc-html-ja", "usr/share/doc/lilypond/html/Documentation", "Japanese",
        glob="[lnu]*/*.html", skip=r"big-page|index", repair=True,
        main=("#main",), drop=("table.nav_table", "#footer")),
    # XSLT of its own, in parts untranslated
    "libreoffice_ru": Web(
        "libreoffice-help-ru", "usr/share/libreoffice/help/ru/text", "Russian", glob="swriter/**/*.html",
        main=("#DisplayArea",)),
    # Publican, from right to left, in parts untranslated
    "handbook_ar": Web(
        "debian-handbook", "usr/share/doc/debian-handbook/html/ar-MA", "Arabic", skip=r"^(index|ix)",
        drop=("#banner", "#title", "ul.docnav")),
    # Doxygen
    "eigen": Web(
        "libeigen3-doc", "usr/share/doc/libeigen3-dev/html", skip=r"_source\.html|^(index|search|dir_)",
        main=("#doc-content",), drop=("div.summary",), unmark=("span.permalink",)),
    # QDoc
    "qt": Web(
        "qtbase5-doc-html", "usr/share/qt5/doc/qtwidgets", main=("div.content",), drop=("div.sidebar",)),
    # Scribble, with a menu by chapter; two manuals
    "racket": Web(
        "racket-doc", "usr/share/doc/racket", glob="gui*/*.html", skip=r"doc-index",
        main=("div.main",), drop=("div.navsettop", "div.navsetbottom")),
    # Haddock
    "haskell": Web(
        "ghc-doc", "usr/share/doc/ghc-doc/html/libraries", glob="base-*/*.html",
        skip=r"doc-index|mini_|/index", main=("#content",),
        drop=("#module-header table.info",), unmark=("a.link", "a.selflink")),
    # gi-docgen, with each page's contents before and after it
    "adwaita": Web(
        "libadwaita-1-doc", "usr/share/doc/libadwaita-1", skip=r"^index", main=("#main",),
        unmark=("a.anchor",)),
    # scripts of its own, with a long menu and each page's contents before it
    "nodejs": Web(
        "nodejs-doc", "usr/share/doc/nodejs/api", skip=r"^(all|index)", main=("#apicontent",),
        unmark=("a.mark",)),
    # DocBuilder, with the contents of a whole library on every page
    "erlang": Web(
        "erlang-doc", "usr/share/doc/erlang-doc/lib", glob="stdlib-*/doc/html/*.html", skip=r"index|notes",
        main=("#content",), drop=("div.footer",)),
    # written by hand and by the modules themselves
    "grass": Web(
        "grass-doc", "usr/share/doc/grass-doc/html", skip=r"index|_graphical|topic_|keywords",
        main=("#container",), repair=True,
        drop=("#container > a:first-child", "hr.header", "h2:contains('SOURCE CODE')",
              "h2:contains('SOURCE CODE') ~ *", "p:contains('Graphical index')",
              "p:contains('GRASS Development Team,')")),
    # ikiwiki, with breadcrumbs that hold the title
    "ikiwiki": Web(
        "ikiwiki", "usr/share/doc/ikiwiki/html", glob="**/*.html", main=("#pagebody",)),
    # manual pages
    "man_de": Man("manpages-de", "usr/share/man/de", "German", "ÜBERSETZUNG"),
}

GROUPS = {"open": OPEN, "others": OTHERS, "kinds": KINDS}
RECIPES = {name: recipe for group in GROUPS.values() for name, recipe in group.items()}
