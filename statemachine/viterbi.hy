"Runs a weighted machine: the cheapest path of states through a document, as it comes in.

What happens at a line depends on the states' costs relative to the best, on the score's band
and on the marks: few cases, so each is computed once and then looked up, as a regular
expression's engine builds its automaton while it runs. At every line each state points back to
the one before it on its cheapest path; where all paths still alive meet, what came before is
decided."

(import bisect [bisect])
(import sieve.wire [parse-score])
(import statemachine.scored [Memo])

(setv ENTRIES 20_000)  ; of the automaton, of some 200 bytes; when full it begins anew
(setv BLANK 2)         ; instead of a verdict: a line without evidence goes by its neighbours


(defclass Node [dict]
  "Where a document can be after a line: {what the next line says #(node origins)}."
  (defn __init__ [self runner costs opened]
    (setv self.runner runner  self.costs costs  self.opened opened))

  (defn __missing__ [self symbol]
    (.extend self.runner self symbol)))


(defclass Weighted []
  "Decides the lines of a document, given in any pieces by `feed` and ended by `finish`. Both
  return what is decided by then, as sequences #(scores texts symbols states verdicts).

  A *symbol* is all that the machine sees of a score: its band, then a bit for each mark that
  makes a difference. At most `window` lines wait for a decision."

  (defn __init__ [self machine window]
    (setv self.machine machine
          self.window window
          self.half (// window 2)
          self.width (len machine.MARKS)
          self.blank (+ (len machine.BANDS) 1)
          self.verdicts (lfor verdicts machine.VERDICTS (bytes [#* verdicts BLANK]))
          self.memo (Memo self.symbol)
          self.nodes {}
          self.entries 0)
    (.start self))

  (defn start [self]
    "Begins a document."
    (setv costs #(0 #* (* [self.machine.DEAD] (- (len self.machine.STATES) 1)))
          self.node (.at self costs 0)
          self.line 0         ; lines seen
          self.scores []      ; of lines seen and not yet returned, as are the next two
          self.texts []
          self.symbols []
          self.states []      ; of those of them on whose states all paths agree
          self.origins []     ; of the others: for each state that before it on its path
          self.before None))  ; the last verdict returned

  ;; --- the automaton ---

  (defn symbol [self written]
    (setv #(_ parts marks) (parse-score written)
          band (if (is parts None) self.blank (bisect self.machine.BANDS parts))
          bits (sum (gfor #(i letter) (enumerate (.encode self.machine.MARKS))
                          :if (in letter marks)
                          (<< 1 i))))
    (| (<< band self.width) bits))

  (defn at [self costs opened]
    "The node of these costs: always the same one."
    (setv key #(costs opened)
          node (.get self.nodes key))
    (when (is node None)
      (setv node (Node self costs opened)
            (get self.nodes key) node))
    node)

  (defn extend [self node symbol]
    "The entry of `node` for `symbol`, now computed."
    (when (>= self.entries ENTRIES)
      (for [old (.values self.nodes)]
        (.clear old))
      (setv self.nodes {#(node.costs node.opened) node}
            self.entries 0))
    (setv band (>> symbol self.width)
          marks (& symbol (- (<< 1 self.width) 1))
          #(costs origins) (.advance self.machine node.costs node.opened band marks)
          opened (.opened self node.opened symbol)
          entry #((.at self costs opened) origins)
          (get node symbol) entry)
    (+= self.entries 1)
    entry)

  (defn opened [self before symbol]
    "Which mark of an opening edge the last line that was not blank has, after a line."
    (setv marks (.marks self symbol))
    (cond
      (= (>> symbol self.width) self.blank) before
      (in "O" marks) 2
      (in "o" marks) 1
      True 0))

  ;; --- paths ---

  (defn feed [self scores texts symbols]
    (+= self.scores scores)
    (+= self.texts texts)
    (+= self.symbols symbols)
    (setv node self.node
          append self.origins.append
          done 0)
    (while (< done (len symbols))
      (setv end (min (len symbols) (+ done (- self.half (% self.line self.half)))))
      (for [symbol (cut symbols done end)]
        (setv #(node origins) (get node symbol))
        (append origins))
      (+= self.line (- end done))
      (setv self.node node
            done end)
      (when (not (% self.line self.half))
        (setv node (.force self))))
    (.agree self)
    (.take self False))

  (defn finish [self]
    (setv totals (lfor #(cost end) (zip self.node.costs self.machine.ENDS) (+ cost end)))
    (.decide self (len self.origins) (.index totals (min totals)))
    (setv taken (.take self True))
    (.start self)
    taken)

  (defn alive [self]
    (lfor #(state cost) (enumerate self.node.costs) :if (< cost self.machine.DEAD) state))

  (defn agree [self]
    "Decides the lines on which all paths agree."
    (setv states (set (.alive self))
          end (len self.origins))
    (while (and end (> (len states) 1))
      (-= end 1)
      (setv origins (get self.origins end)
            states (sfor state states (get origins state))))
    (.decide self end (.pop states)))

  (defn decide [self end state]
    "Decides the first `end` undecided lines by the path that has `state` at the last of them."
    (setv path [])
    (for [origins (reversed (cut self.origins end))]
      (.append path state)
      (setv state (get origins state)))
    (+= self.states (reversed path))
    (del (cut self.origins end)))

  (defn force [self]
    "Every half window, lets the best path decide what lies more than that behind, and drops
    the paths that were elsewhere then. Returns the node to go on from. Where a document is
    looked at like this depends on line numbers only, so its decisions never do on its blocks."
    (.agree self)
    (when (<= (len self.origins) self.half)
      (return self.node))
    (defn ancestor [state]
      (for [origins (reversed (cut self.origins (- self.half) None))]
        (setv state (get origins state)))
      state)
    (setv costs self.node.costs
          chosen (ancestor (.index costs 0))
          self.node (.at self
                         (tuple (gfor #(state cost) (enumerate costs)
                                      (if (and (< cost self.machine.DEAD) (= (ancestor state) chosen))
                                          cost
                                          self.machine.DEAD)))
                         self.node.opened))
    (.agree self)
    self.node)

  ;; --- verdicts ---

  (defn take [self final]
    "Returns the decided lines; a blank one only when its neighbours are known, or `final`."
    (setv states self.states
          verdicts (bytearray (gfor #(state symbol) (zip states self.symbols)
                                    (get self.verdicts state (>> symbol self.width))))
          end (.settle self verdicts final)
          taken [])
    (for [waiting [self.scores self.texts self.symbols self.states]]
      (.append taken (cut waiting end))
      (del (cut waiting end)))
    (when end
      (setv self.before (get verdicts (- end 1))))
    #(#* taken (cut verdicts end)))

  (defn settle [self verdicts final]
    "Writes the verdicts of blank lines into `verdicts`, up to the end that is returned: of a run
    of them, gone if what is around it goes; kept if there is nothing around it, or if it is
    longer than the window."
    (setv start (.find verdicts BLANK))
    (while (>= start 0)
      (setv end (+ start 1))
      (while (and (< end (len verdicts)) (= (get verdicts end) BLANK))
        (+= end 1))
      (setv around [(if start (get verdicts (- start 1)) self.before)
                    (when (< end (len verdicts)) (get verdicts end))]
            kept (or (in 1 around) (= around [None None]) (> (- end start) self.window)))
      (when (and (= end (len verdicts)) (not final) (!= (get around 0) 1) (<= (- end start) self.window))
        (return start))
      (setv (cut verdicts start end) (* (bytes [kept]) (- end start))
            start (.find verdicts BLANK end)))
    (len verdicts))

  ;; --- reasons ---

  (defn explain [self before state opened symbol]
    "What the path paid at a line, and whether that is blank; `opened` is as in `opened`."
    (setv band (>> symbol self.width)
          marks (.marks self symbol)
          parts [])
    (defn has [written]
      (all (gfor letter written (in letter marks))))
    (when (!= before state)
      (setv #(_ _ cost open close) (next (gfor move self.machine.MOVES
                                               :if (= (list (cut move 2)) [before state])
                                               move))
            prices [(get [None #* (or open [None None])] opened)
                    (when close (cond (has "C") (get close 1)  (has "c") (get close 0)))]
            paid (min (gfor price prices :if (is-not price None) price) :default cost))
      (.append parts f"to {(get self.machine.STATES state)} {paid}"))
    (if (= band self.blank)
        (.append parts "blank")
        (do
          (setv #(which costs) (next (gfor #(written costs) (get self.machine.INSTEAD state)
                                           :if (has written)
                                           #(f" of {written}" costs))
                                     #("" (get self.machine.COSTS state))))
          (.append parts f"band {band}{which} costs {(get costs band)}")))
    (for [#(written cost) (get self.machine.ADDED state)]
      (when (has written)
        (.append parts f"mark {written} costs {cost}")))
    (.join ", " parts))

  (defn marks [self symbol]
    "The letters of a symbol."
    (lfor #(i letter) (enumerate self.machine.MARKS) :if (& symbol (<< 1 i)) letter)))
