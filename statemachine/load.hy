"Finds a machine by its name and makes it ready to run."

(import importlib [import-module])
(import os)
(import re)

(setv MACHINES (os.path.join (os.path.dirname __file__) "machines"))
(setv SIZE (* 64 1024))  ; characters of a machine; the shipped ones have less than 2,000


(defn shipped []
  "The names of the machines that come with the program, sorted."
  (sorted (gfor name (os.listdir MACHINES)
                :if (.endswith name ".lisp")
                (.removesuffix name ".lisp"))))

(defn source [name]
  "The text of the machine `name`: a shipped one's name, or a file's. What is not UTF-8 becomes
  U+FFFD, which may stand in comments."
  (setv path (if (in name (shipped)) (os.path.join MACHINES (+ name ".lisp")) name))
  (with [file (open path "rb")]
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
  (setv text (source name))
  (when (in name (shipped))
    (try
      (setv machine (import-module f"statemachine.machines.{name}"))
      (when (= machine.ID (identify text))  ; and not one left from another version
        (return #(machine [])))
      (except [ModuleNotFoundError])))  ; a checkout
  (build text))

(defn build [text]
  "#(machine problems) of the machine that `text` describes."
  (setv #(program problems) (translate text))
  (when problems
    (return #(None problems)))
  (import hy types [SimpleNamespace])
  (setv names {})
  (hy.eval program :globals names)
  #((SimpleNamespace #** names) []))

(defn translate [text]
  "#(program problems): the machine as a module in Hy."
  (setv #(machine problems) (examine text))
  (when problems
    (return #(None problems)))
  (import statemachine.compiler [program])
  #((program machine (identify text)) []))

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
