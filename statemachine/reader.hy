"Reads the machine language: text into forms that know where they stand.

    form    = list | symbol | number
    list    = '(' form... ')'
    symbol  = a letter, then letters, digits and '-'; or one of < <= > >= =
    number  = digits, maybe '-' before them, maybe '.' and digits after
    comment = ';' to the end of the line

That is all there is: no strings, quotes, dots or reader macros, and nothing is evaluated.
Size and depth are limited before the grammar is tried, so hostile text fails at once."

(import re)
(import pyparsing :as pp)
(import statemachine.load [SIZE])

(setv DEPTH 32)          ; lists inside lists; the language needs 4, and conditions a few more


(defclass Problem [Exception]
  "What is wrong with a machine; `at` is where, in characters from the start of its text."
  (defn __init__ [self at what]
    (.__init__ (super) what)
    (setv self.at at)))


(defclass Atom [str]
  "A symbol or a number as it is written; `at` as in Problem.")


(defclass Form [list]
  "A list of atoms and forms; `at` is where it opens.")


(defn place [text at]
  "`at` in `text` as #(line column), both from 1."
  #((+ (.count text "\n" 0 at) 1)
    (- at (.rfind text "\n" 0 at))))


(defn read [text]
  "The one form that `text` (str) holds. Raises Problem."
  (balance text)
  (try
    (get (.parse-string GRAMMAR text :parse-all True) 0)
    (except [error pp.ParseBaseException]
      (setv at (.end (.match BLANK text error.loc))
            atom (.match (re.compile ATOM) text at))
      (when (and atom (.match (re.compile r"[^\s();]") text (.end atom)))
        (setv at (.end atom)))  ; it begins well and goes wrong
      (raise (Problem at (if (< at (len text))
                             f"unexpected {(ascii (get text at))}"
                             "no machine here"))
             :from None))))


(defn balance [text]
  "Refuses what is too long, too deep or not closed, in one pass."
  (when (> (len text) SIZE)
    (raise (Problem SIZE f"a machine has at most {SIZE} characters")))
  (setv open [])
  (for [token (.finditer PARENTHESIS text)]
    (setv at (.start token))
    (cond
      (= (get text at) "(") (.append open at)
      (and open (= (get text at) ")")) (.pop open))
    (when (> (len open) DEPTH)
      (raise (Problem at f"lists are nested more than {DEPTH} deep"))))
  (when open
    (raise (Problem (get open -1) "this list is not closed"))))


(setv PARENTHESIS (re.compile r"[()]|;[^\n]*"))
(setv BLANK (re.compile r"(?:[ \t\r\n]|;[^\n]*)*"))
(setv ATOM r"(?:[A-Za-z][A-Za-z0-9-]*|[<>]=?|=|-?[0-9]+(?:\.[0-9]+)?)")


(defn grammar []
  (defn at [kind]
    (fn [text loc tokens]
      (setv node (kind (get tokens 0))
            node.at loc)
      [node]))  ; in a list, or pyparsing takes a Form for several tokens
  (setv form (pp.Forward)
        atom (pp.Regex (+ ATOM r"(?=[ \t\r\n();]|\Z)"))
        lst (pp.Group (- (pp.Suppress "(") (get form ...) (pp.Suppress ")"))))
  (<< form (| atom lst))
  (.add-parse-action atom (at Atom))
  (.add-parse-action lst (at Form))
  (.ignore form (pp.Regex r";[^\n]*"))
  (.parse-with-tabs form))

(setv GRAMMAR (grammar))
