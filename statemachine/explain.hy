"Tells what a machine did, and what it is."

(import sieve.wire [escape-name])

(setv WORDS ["drop" "keep" "hold"])     ; by number: a verdict is one of the first two
(setv SETTLES ["discard" "release"])    ; what gives held lines these verdicts


(defn tracer [machine decider name]
  "What shows the decided lines of a document without their text: its name, the line's number,
  score, the states before and after it, what decided, and the verdict."
  (setv title (if (is name None) b"-" (escape-name name))
        number 0
        before 0
        opened 0)
  (fn [scores texts keys states verdicts]
    (nonlocal number before opened)
    (setv rows [])
    (for [#(score key state verdict) (zip scores keys states verdicts)]
      (+= number 1)
      (.append rows (% b"%s\t%d\t%s\t%s\t%s\t%s\t%s\n"
                       #(title number score
                         (.encode (get machine.STATES before))
                         (.encode (get machine.STATES state))
                         (.encode (.explain decider before state opened key))
                         (.encode (get WORDS verdict)))))
      (setv before state
            opened (.opened decider opened key)))
    (.join b"" rows)))

(defn show-rule [machine number]
  "A rule as the machine writes it."
  (setv #(_ test action next settle) (get machine.RULES number))
  (+ f"({test} {(get WORDS action)} {(get machine.STATES next)}"
     (if (is settle None) ")" f" {(get SETTLES settle)})")))


(defn graph [machine]
  "The machine in the language of Graphviz. Names and conditions hold nothing to escape."
  (setv names machine.STATES
        lines [f"digraph \"{machine.NAME}\" {{" "rankdir=LR;" "node [shape=box];" "\"\" [shape=point];"
               f"\"\" -> \"{(get names 0)}\";"])
  (if (= machine.KIND "machine")
      (setv notes (lfor end machine.ENDS (if end [] ["(end discard)"]))
            edges (lfor #(number rule) (enumerate machine.RULES)
                        #((get rule 0) (get rule 3) (show-rule machine number))))
      (setv notes (lfor state (range (len names)) (show-state machine state))
            edges (lfor #(start end #* price) machine.MOVES
                        #(start end (show-price #* price)))))
  (for [#(name note) (zip names notes)]
    (setv label (.join r"\n" [name #* note]))
    (.append lines f"\"{name}\" [label=\"{label}\"];"))
  (for [#(start end label) edges]
    (.append lines f"\"{(get names start)}\" -> \"{(get names end)}\" [label=\"{label}\"];"))
  (.encode (.join "\n" [#* lines "}" ""])))

(defn show-price [cost open close]
  (defn option [name costs]
    (if costs
        [(+ f"({name} " (.join " " (map str (if (= (get costs 0) (get costs 1)) (cut costs 1) costs))) ")")]
        []))
  (.join " " [(str cost) #* (option "open" open) #* (option "close" close)]))

(defn show-state [machine state]
  "What a weighted machine says of a state, in lines."
  (setv verdicts (get machine.VERDICTS state)
        end (get machine.ENDS state))
  [(.join " " (gfor verdict (if (= (len (set verdicts)) 1) (cut verdicts 1) verdicts)
                    (get WORDS verdict)))
   (+ "costs " (.join " " (map str (get machine.COSTS state))))
   #* (gfor #(letters costs) (get machine.INSTEAD state)
            (.join " " (map str ["mark" letters #* costs])))
   #* (gfor #(letters cost) (get machine.ADDED state) f"mark {letters} {cost}")
   #* (if end [f"end {end}"] [])])
