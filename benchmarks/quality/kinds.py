"""Sites of further kinds, written by generators around real text, with exact labels.

A forum's threads, a mailing list's archive, a CMS export, a directory of logs, a library of
free books. The running text is the Debian handbook's, dealt out paragraph by paragraph so that
none comes twice; what surrounds it is made here, the same on every run. No HTML.

Whose line is whose: what an author wrote is content, quotations, titles, names and dates of
posts too; signatures, profiles, breadcrumbs, related links, banners and licences are not.
"""

import random
import re
from collections import namedtuple
from datetime import timedelta
from pathlib import Path

from benchmarks.quality.score import TEMPLATE_LINE
from benchmarks.quality.texts import Sheet, Texts, bullets, fill, people, sentence, some_time, writer

SEED = 20230401
LICENCE = Path("/usr/share/common-licenses/Apache-2.0")  # on every Debian system
RULE = "━" * 79

# package, root: where the text is; language: of the text; languages: folders under root;
# write: a function of (Texts, Random) that yields (name, Sheet)
Kind = namedtuple("Kind", "package root language languages write")


def pages(kind, root):
    """Yields pages as `build.html_pages` does, without HTML."""
    chance = random.Random(SEED)
    texts = Texts([root / language for language in kind.languages], chance)
    for name, sheet in kind.write(texts, chance):
        yield name, {"pages": sheet.text(), "gold": sheet.text(without=TEMPLATE_LINE)}, sheet.labels, 0


# --- a forum: a thread a file ---

FORUM_HEAD = """\
Obviar

Foro de administradores

Preguntas y respuestas sobre sistemas libres desde 2009

[Buscar…             ] [Buscar]   Búsqueda avanzada

  • Enlaces rápidos
  • Preguntas frecuentes
  • Identificarse
  • Registrarse"""
FORUM_SECTIONS = [
    "Instalación", "Redes y servidores", "Escritorio", "Seguridad", "Paquetes y repositorios", "Hardware"]
FORUM_PLACES = ["Vigo", "Rosario", "Cali", "Sevilla", "Quito", "Bilbao"]
FORUM_FOOT = """\
Volver a «{section}»

Ir a

{sections}

¿Quién está conectado?

Usuarios navegando por este foro: No hay usuarios registrados visitando el
foro y {guests} invitados

  • Índice general
  • Todos los horarios son UTC+01:00
  • Borrar cookies
  • Contáctenos

Desarrollado por Tablón® Forum Software © Tablón Limited

Privacidad | Condiciones"""


def forum(texts, chance):
    members = {}
    for name in people(chance, 40):
        profile = [name, f"Mensajes: {chance.randrange(3, 4000)}", f"Registrado: {some_time(chance):%d/%m/%Y %H:%M}",
                   f"Ubicación: {chance.choice(FORUM_PLACES)}"]
        signature = ["_________________", fill(sentence(*texts.plain())), f"https://{name.split()[0].lower()}.example.org/"]
        members[name] = "\n".join(profile), "\n".join(signature) if chance.random() < 0.7 else ""
    everyone = list(members)
    for number in range(100):
        sheet, title, section = Sheet(), texts.title(), chance.choice(FORUM_SECTIONS)
        posts, said = chance.randrange(2, 9), []
        bar = f"Responder   {posts} mensajes • Página 1 de 1"
        sheet.template(FORUM_HEAD, RULE, fill(f"Índice general » {section} » {title}"))
        sheet.content(title)
        sheet.template(bar)
        for post in range(posts):
            name = writer(everyone, chance)
            profile, signature = members[name]
            sheet.content("Re: " * (post > 0) + title, f"por {name} » {some_time(chance):%d/%m/%Y %H:%M}")
            sheet.template(profile)
            if said and chance.random() < 0.5:
                author, text = chance.choice(said)
                sheet.content(f"{author} escribió:\n{fill(text, '    ')}")
            text, *more = texts.plain(chance.randrange(1, 3))
            said.append((name, text))
            sheet.content(*map(fill, [text, *more]))
            sheet.template(*filter(None, [signature]), "Arriba", RULE)
        sheet.template(bar, FORUM_FOOT.format(
            section=section, sections=bullets(FORUM_SECTIONS), guests=chance.randrange(1, 40)))
        yield f"viewtopic-{1000 + 7 * number}", sheet


# --- a mailing list: a message a file ---

MAIL_FOOT = """\
_______________________________________________
admins mailing list
admins@lists.example.org
https://lists.example.org/cgi-bin/mailman/listinfo/admins"""


def address(name, at):
    given, family = name.lower().split()
    return f"{given}{at}{family}.example.com"


def mail(texts, chance):
    signatures = {}
    for name in people(chance, 30):
        lines = [name, address(name, "@"), f"+{chance.randrange(30, 50)} {chance.randrange(10**8, 10**9)}",
                 fill(sentence(*texts.plain()))]
        signatures[name] = "\n".join(["-- ", *lines[:chance.randrange(1, 5)]])
    everyone = list(signatures)
    threads = [texts.title() for _ in range(40)]
    subjects = ["Re: " * (place >= 40) + threads[place % 40] for place in range(120)]
    earlier = {}
    for number, subject in enumerate(subjects):
        sheet, name, thread = Sheet(), writer(everyone, chance), threads[number % 40]
        beside = [(way, subjects[place]) for way, place in (("Previous", number - 1), ("Next", number + 1))
                  if 0 <= place < len(subjects)]
        navigation = bullets([f"{way} message (by thread): [admins] {other}" for way, other in beside] +
                             ["Messages sorted by: [ date ] [ thread ] [ subject ] [ author ]"])
        sheet.content(f"[admins] {subject}", f"{name} {address(name, ' at ')}\n"
                      f"{some_time(chance):%a %b %d %H:%M:%S UTC %Y}")
        sheet.template(navigation, RULE)
        text = texts.plain(chance.randrange(1, 5))
        if thread in earlier:
            author, quoted = earlier[thread]
            sheet.content(f"On {some_time(chance):%a, %d %b %Y}, {author} wrote:\n"
                          + "\n>\n".join(fill(paragraph, "> ") for paragraph in quoted))
        sheet.content(*map(fill, text))
        sheet.template(signatures[name])
        if thread in earlier and chance.random() < 0.2:  # someone quoted it all
            sheet.template(re.sub("(?m)^", "> ", MAIL_FOOT))
        sheet.template(MAIL_FOOT, RULE, navigation, RULE, "More information about the admins mailing list")
        earlier[thread] = name, text
        yield f"{number:06}", sheet


# --- a CMS: a page a file ---

CMS_HEAD = """\
Direkt zum Inhalt

Stadtwerke Musterau

[                    ] [Suche]

  • Start
  • Aktuelles
  • Ratgeber
  • Technik
  • Karriere
  • Kontakt

Schriftgröße: A A A   Leichte Sprache   Gebärdensprache"""
CMS_SECTIONS = ["Planung", "Betrieb", "Netze", "Sicherheit", "Dienste", "Wartung"]
CMS_FOOT = """\
Newsletter

Einmal im Monat das Wichtigste. Abmeldung jederzeit möglich.

[Ihre E-Mail-Adresse ] [Anmelden]

Zuletzt geändert: {date:%d.%m.%Y}   Artikel-Nr. {number}

Impressum | Datenschutz | Barrierefreiheit | Cookie-Einstellungen

© {date:%Y} Stadtwerke Musterau GmbH. Alle Rechte vorbehalten."""


def cms(texts, chance):
    titles = [texts.title() for _ in range(120)]
    authors = people(chance, 8)
    for number, title in enumerate(titles):
        sheet, date, place = Sheet(), some_time(chance), number % len(CMS_SECTIONS)
        section, siblings = CMS_SECTIONS[place], titles[place::len(CMS_SECTIONS)]
        sheet.template(CMS_HEAD, f"In diesem Bereich: {section}\n\n{bullets(siblings)}",
                       fill(f"Start > {section} > {title}"))
        sheet.content(title, f"{date:%d.%m.%Y} – von {writer(authors, chance)}",
                      *texts.filled(chance.randrange(2, 12)))
        sheet.template("Artikel drucken   Artikel teilen   Als PDF herunterladen",
                       "Das könnte Sie auch interessieren\n\n" + bullets(chance.sample(titles, 5)),
                       "Schlagwörter: " + ", ".join(chance.sample(CMS_SECTIONS, 3)),
                       CMS_FOOT.format(date=date, number=10_000 + 13 * number))
        yield f"artikel-{number:03}", sheet


# --- logs: a run of a program a file, with a banner at each start ---

LOG_BANNER = """\
################################################################################
#  {program} {version} (build {build}) on {host}.example.org
#  started {time:%Y-%m-%d %H:%M:%S} UTC, pid {pid}, user svc-{program}
#  log level INFO, rotated daily, 14 files kept
#
#  This log may hold personal data: see policy SEC-12 before you copy it.
#  Questions: operations@example.org, telephone 4711
################################################################################"""
LOG_ROUTINE = [  # what programs say every day is content, however often
    "connection from 10.{a}.{b}.7 accepted", "checked {a} files in {b} ms", "heartbeat ok",
    "cache: {a} hits, {b} misses", "session {a}{b} closed", "retrying in {a} s", "queue length is {a}", "configuration reloaded"]
LOG_END = """\
--- end of log: {entries} entries, {warnings} warnings, 00:{minutes:02}:12 elapsed ---
--- compressed by rotate-logs 2.3; the next file begins with a banner ---"""


def logs(texts, chance):
    programs = {name: f"{chance.randrange(1, 9)}.{chance.randrange(20)}.{chance.randrange(9)}"
                for name in ("backupd", "mirror", "mail-relay", "indexer")}
    for number in range(100):
        sheet, program, time, entries = Sheet(), chance.choice(list(programs)), some_time(chance), 0
        host = f"{chance.choice(['web', 'db', 'mx'])}{chance.randrange(1, 9):02}"
        for _ in range(chance.choice([1, 1, 1, 2, 3])):  # starts
            sheet.template(LOG_BANNER.format(
                program=program, version=programs[program], build=chance.randrange(9999), host=host, time=time,
                pid=chance.randrange(300, 32768)))
            told = [sentence(text) for text in texts.plain(chance.randrange(4, 14))]
            routine = [chance.choice(LOG_ROUTINE).format(a=chance.randrange(256), b=chance.randrange(256))
                       for _ in range(chance.randrange(3, 12))]
            messages = told + routine
            chance.shuffle(messages)
            entries += len(messages)
            log = []
            for message in messages:
                time += timedelta(milliseconds=chance.randrange(90_000))
                level = chance.choices(["INFO", "WARN", "ERROR"], [8, 2, 1])[0]
                log.append(f"{time:%Y-%m-%d %H:%M:%S},{chance.randrange(1000):03} {level:5} "
                           f"[{program}-{chance.randrange(8)}] {message}")
            sheet.content("\n".join(log))
        sheet.template(LOG_END.format(
            entries=entries, warnings=chance.randrange(9), minutes=chance.randrange(60)))
        yield f"{program}-{host}-{number:03}", sheet


# --- books: a licence before and after one long text, in the library's language, not the text's ---

BOOK_HEAD = """\
The Open Shelf Library edition of {title}

This edition is for the use of anyone anywhere at no cost and with almost no
restrictions whatsoever. You may copy it, give it away or use it again under
the terms of the licence that comes with this edition or that you find at
www.openshelf.example.org. Where that law does not hold, look up your own
country's before you use it.

Title: {title}

Author: {author}

Release date: {date:%B %d, %Y} [Edition #{number}]
Most recently updated: {later:%B %d, %Y}

Language: {language}

Credits: {credits} and the Open Shelf proofreaders

*** START OF THE OPEN SHELF EDITION OF {capitals} ***"""
BOOK_FOOT = """\
*** END OF THE OPEN SHELF EDITION OF {capitals} ***

Updated editions will replace the previous one: the old editions will be
renamed. Please read this before you pass this work on.

THE FULL OPEN SHELF LICENCE

{licence}

Section 9. About Open Shelf

Open Shelf is kept by volunteers, and lives on gifts. To read more, or to
help, see www.openshelf.example.org/help. Most people start at the catalogue,
which has the search: www.openshelf.example.org"""
BOOK_LANGUAGES = {
    "en-US": "English", "fr-FR": "French", "de-DE": "German", "es-ES": "Spanish", "it-IT": "Italian",
    "ru-RU": "Russian", "ja-JP": "Japanese", "pl-PL": "Polish"}
BOOKS = 6  # in each language, of equal shares of its text


def books(texts, chance):
    authors = people(chance, BOOKS * len(BOOK_LANGUAGES))
    licence = LICENCE.read_text().strip("\n")
    for number, author in enumerate(authors):
        folder, place = divmod(number, BOOKS)
        sheet, date, title = Sheet(), some_time(chance), texts.title(folder)
        facts = {"title": title, "capitals": title.upper(), "author": author, "number": 5000 + 37 * number,
                 "date": date, "later": date + timedelta(days=chance.randrange(1, 900)),
                 "language": list(BOOK_LANGUAGES.values())[folder], "credits": writer(authors, chance)}
        chapters = [texts.title(folder) for _ in range(chance.randrange(4, 9))]
        length = texts.left(folder) // (BOOKS - place) // len(chapters)
        sheet.template(BOOK_HEAD.format(**facts))
        sheet.content(title, f"by {author}", "\n".join(f"  {chapter}" for chapter in chapters))
        for chapter in chapters:
            sheet.content(chapter, *texts.filled(length, folder))
            if number == 0 and chapter == chapters[0]:  # an author who writes about licences, and quotes one
                sheet.content(*licence.split("\n\n")[8:12])
        sheet.template(BOOK_FOOT.format(licence=licence, **facts))
        yield f"pg{facts['number']}", sheet


HANDBOOK = "debian-handbook", "usr/share/doc/debian-handbook/html"
KINDS = {
    "gen_forum": Kind(*HANDBOOK, "Spanish", ["es-ES"], forum),
    "gen_mail": Kind(*HANDBOOK, "English", ["en-US"], mail),
    "gen_cms": Kind(*HANDBOOK, "German", ["de-DE"], cms),
    "gen_logs": Kind(*HANDBOOK, "English", ["en-US"], logs),
    "gen_books": Kind(*HANDBOOK, "English", list(BOOK_LANGUAGES), books),
}
