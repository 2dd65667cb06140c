"Finds a machine by its name and makes it ready to run."

(import importlib [import-module])
(import importlib.machinery [SourceFileLoader])
(import os)
(import re)
(import types [ModuleType])

(setv HERE (os.path.dirname __file__))
(setv SIZE (* 64 1024))  ; characters of a machine; the shipped ones have less than 2,000


(defn shipped []
  "The names of the machines that come with the program, sorted."
  (sorted (gfor name (os.listdir (os.path.join HERE "machines"))
                :if (.endswith name ".lisp")
                (.removesuffix name ".lisp"))))

(defn path [name]
  "Where the machine `name` is: a shipped one's name, or a file's."
  (if (in name (shipped))
      (os.path.join HERE "machines" (+ name ".lisp"))
      name))

(defn source [name]
  "The text of the machine `name`. What is not UTF-8 becomes U+FFFD, which may stand in comments."
  (with [file (open (path name) "rb")]
    (.decode (.read file (* 4 (+ SIZE 1))) "utf-8" "replace")))

(defn identify [text]
  "What tells machines apart: 16 hex digits of the SHA-256 of the text without its comments, all
  tokens separated by single spaces."
  (import hashlib [sha256])
  (setv tokens (re.findall r"[()]|[^\s();]+" (re.sub r";[^\n]*" "" text)))
  (cut (.hexdigest (sha256 (.encode (.join " " tokens)))) 16))

(defn load [name]
  "#(machine problems): a module (or what looks like one) made by `compiler.program`; or None,
  and a list of #(line column what)."
  (setv text (source name)
        machine (when (in name (shipped)) (compiled name)))
  (if (and machine (= machine.ID (identify text)))  ; and not one left from another version
      #(machine [])
      (build text)))

(defn compiled [name]
  "The module of a shipped machine: the installed one, or in a checkout what Python's cache of
  compiled modules has; None if neither will do."
  (setv module f"statemachine.machines.{name}")
  (try
    (import-module module)
    (except [ModuleNotFoundError]
      (setv machine (ModuleType module))
      (try
        (.exec-module (Loader module (path name)) machine)
        machine
        (except [Unsound])))))

(defn build [text]
  "#(machine problems) of the machine that `text` describes."
  (setv #(tree problems) (translate text))
  (when problems
    (return #(None problems)))
  (setv machine (ModuleType "machine"))
  (exec (compile tree "machine" "exec") machine.__dict__)
  #(machine []))

(defn translate [text]
  "#(tree problems): the machine as a module in Python's syntax tree."
  (setv #(machine problems) (examine text))
  (when problems
    (return #(None problems)))
  (import statemachine.compiler [program])
  (import hy.compiler [hy-compile])
  #((hy-compile (program machine (identify text)) __name__ :import-stdlib False) []))

(defclass Unsound [Exception]
  "A machine that cannot be compiled.")

(defclass Loader [SourceFileLoader]
  "Loads a machine's file as a module. Python keeps the outcome in __pycache__ as it does for its
  own, here until the machine or what compiles it changes."
  (defn source-to-code [self data path #** options]
    (setv #(tree problems) (translate (.decode data "utf-8" "replace")))
    (when problems
      (raise Unsound))
    (compile tree path "exec" :dont-inherit True))

  (defn path-stats [self path]
    (setv sources (lfor name ["reader" "check" "compiler"] (os.path.join HERE (+ name ".hy"))))
    {"mtime" (max (map os.path.getmtime [path #* sources]))
     "size" (os.path.getsize path)}))

(defn problems [name]
  "What is wrong with the machine `name`, as #(line column what)."
  (get (examine (source name)) 1))

(defn examine [text]
  "#(tables problems) of the machine that `text` describes."
  ;; This loads pyparsing, and what follows Hy: a hundred milliseconds that the run of a shipped
  ;; machine need not spend. Hy comes last, since once it is there it takes `.hy` files for
  ;; modules, before the translations that an installed copy has beside them.
  (import statemachine.reader [read place Problem]
          statemachine.check [check])
  (try
    (setv #(machine problems) (check (read text)))
    (except [problem Problem]
      (setv #(machine problems) #(None [problem]))))
  #(machine (lfor problem problems #(#* (place text problem.at) (str problem)))))
