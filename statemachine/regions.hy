"Print the lines of a scored stream that a machine keeps."

(import itertools [compress])
(import statemachine.load [load source translate])
(import statemachine.scored [scored])
(import statemachine.stepper [Stepper])
(import statemachine.viterbi [Weighted])

(setv WINDOW 10_000)  ; lines; more than any page has, and a few MB of text


(defn arguments [parser]
  (.add-argument parser "-m" "--machine" :default "regions" :metavar "MACHINE"
                 :help "the name of a machine that is shipped, or a file (default: regions)")
  (setv instead (.add-mutually-exclusive-group parser))
  (.add-argument instead "--tag" :action "store_true"
                 :help "print all lines, as VERDICT<TAB>REGION<TAB>SCORE<TAB>TEXT")
  (.add-argument instead "--drop" :action "store_true"
                 :help "print the dropped lines instead of the kept ones"))


(defn run [args documents out]
  (setv #(machine problems) (load args.machine))
  (when problems
    (setv #(line column what) (get problems 0))
    (.warn args.console args.machine f"line {line}, column {column}: {what}")
    (return))
  (setv decider ((if (= machine.KIND "machine") Stepper Weighted) machine WINDOW)
        show (cond args.tag tag  args.drop drop  True keep))
  (for [document documents]
    (.begin out document.name)
    (setv line 1
          fault None)
    (for [block document]
      (setv #(scores texts values fault) (scored block decider.memo line))
      (+= line (len scores))
      (.text out (show machine (.feed decider scores texts values)))
      (when fault
        (break)))
    (.text out (show machine (.finish decider)))
    (when fault
      (raise fault))))


(defn keep [machine lines]
  (setv #(_ texts _ _ verdicts) lines)
  (.join b"" (compress texts verdicts)))

(defn drop [machine lines]
  (setv #(_ texts _ _ verdicts) lines)
  (.join b"" (gfor #(text verdict) (zip texts verdicts) :if (not verdict) text)))

(defn tag [machine lines]
  (setv #(scores texts _ states verdicts) lines
        names (lfor state machine.STATES (.encode state))
        words [b"drop" b"keep"])
  (.join b"" (gfor #(score text state verdict) (zip scores texts states verdicts)
                   (% b"%s\t%s\t%s\t%s" #((get words verdict) (get names state) score text)))))
