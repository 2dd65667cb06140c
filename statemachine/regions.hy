"Print the lines of a scored stream that a machine keeps."

(import itertools [compress])
(import os [fsdecode])
(import re)
(import sieve.wire [FormatError])
(import statemachine.explain [graph tracer])
(import statemachine.load [load problems shipped source])
(import statemachine.scored [scored])
(import statemachine.stepper [Stepper])
(import statemachine.viterbi [Weighted])

(setv WINDOW 10_000)  ; lines: more than a page has, and a few MB of text at most


(defn arguments [parser]
  (.add-argument parser "-m" "--machine" :default "regions" :metavar "MACHINE"
                 :help f"a machine's name ({(.join ", " (shipped))}) or its file (default: regions)")
  (.add-argument parser "-s" "--squeeze" :action "store_true"
                 :help "print one empty line for several in a row, as cat -s does")
  (.add-argument parser "--window" :type lines :default WINDOW :metavar "LINES"
                 :help "bound the lines that wait for a decision (default: %(default)s)")
  (setv instead (.add-mutually-exclusive-group parser))
  (for [#(option help) [#("--tag" "print all lines, as VERDICT<TAB>REGION<TAB>SCORE<TAB>TEXT")
                        #("--drop" "print the dropped lines instead of the kept ones")
                        #("--trace" "print why each line is kept or dropped, without its text")
                        #("--graph" "print the machine for Graphviz, and read no FILE")
                        #("--id" "print the machine's id, and read no FILE")
                        #("--print" "print the machine as it is written, and read no FILE")
                        #("--check" "print what is wrong with the machine, and read no FILE")]]
    (.add-argument instead option :action "store_true" :help help)))

(defn lines [text]
  "The argument of --window: at least 2, since half of it is a step."
  (setv number (int text))
  (when (< number 2)
    (raise (ValueError)))
  number)


(defn run [args documents out]
  (when (and args.files (or args.graph args.id args.print args.check))
    (return (.warn args.console "--graph, --id, --print and --check read no FILE; -m names the machine")))
  (when (and args.squeeze (or args.tag args.trace))
    (return (.warn args.console "-s is for text, and neither --tag nor --trace prints that alone")))
  (when args.check
    (setv wrong (problems args.machine))
    (for [#(line column what) wrong]
      (.text out (.encode f"{(shown args.machine)}:{line}:{column}: {what}\n")))
    (return (if wrong 1 0)))
  (setv #(machine wrong) (load args.machine))
  (cond
    wrong
      (do
        (setv #(#(line column what) #* more) wrong)
        (.warn args.console (shown args.machine)
               (+ f"line {line}, column {column}: {what}"
                  (if more f" (and {(len more)} more, which --check tells)" ""))))
    args.id (.text out (.encode f"{machine.ID}\n"))
    args.print (.text out (.encode (source args.machine)))
    args.graph (.text out (graph machine))
    True (decide machine args documents out)))

(defn shown [name]
  "A file's name on one line."
  (if (.isprintable name) name (repr name)))


(defn decide [machine args documents out]
  (setv decider ((if (= machine.KIND "machine") Stepper Weighted) machine args.window))
  (for [document documents]
    (.begin out document.name)
    (setv show (cond
                 args.tag (tagger machine)
                 args.trace (tracer machine decider document.name)
                 args.drop dropped
                 True kept)
          show (if args.squeeze (squeezer show) show)
          number 1
          wrong None)
    (for [block document]
      (setv #(scores texts values wrong) (scored block decider.memo))
      (+= number (len scores))
      (.text out (show #* (.feed decider scores texts values)))
      (when wrong
        (break)))
    (.text out (show #* (.finish decider)))
    (when wrong
      (setv where (if (in document.name [None args.console.file])
                      ""
                      f" (document {(shown (fsdecode document.name))})"))
      (raise (FormatError number (+ wrong where))))))


;; --- what is printed of lines, given as a decider returns them ---

(defn kept [scores texts keys states verdicts]
  (.join b"" (compress texts verdicts)))

(defn dropped [scores texts keys states verdicts]
  (.join b"" (gfor #(text verdict) (zip texts verdicts) :if (not verdict) text)))

(defn tagger [machine]
  (setv words [b"drop" b"keep"]
        names (lfor name machine.STATES (.encode name)))
  (fn [scores texts keys states verdicts]
    (.join b"" (gfor #(score text state verdict) (zip scores texts states verdicts)
                     (% b"%s\t%s\t%s\t%s" #((get words verdict) (get names state) score text))))))

(defn squeezer [show]
  "`show`, with one empty line instead of several in a row, also across calls."
  (setv before b"\n")  ; the newlines at the end of what was shown, at most two
  (fn [#* lines]
    (nonlocal before)
    (setv text (cut (re.sub rb"\n{3,}" b"\n\n" (+ before (show #* lines))) (len before) None))
    (when text
      (setv before (if (.endswith (+ before text) b"\n\n") b"\n\n" b"\n")))
    text))
