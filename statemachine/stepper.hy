"Runs a machine of rules, line by line."

(import sieve.wire [parse-score])
(import statemachine.explain [SETTLES WORDS show-rule])
(import statemachine.scored [Memo])

(setv HOLD (.index WORDS "hold"))  ; instead of a verdict: decided later


(defclass Stepper []
  "Decides the lines of a document, given in any pieces by `feed` and ended by `finish`. Both
  return what is decided by then, as sequences #(scores texts rules states verdicts). The lines
  that come after a held one wait with it; when it is `window` lines back, what is held stays."

  (defn __init__ [self machine window]
    (setv self.machine machine
          self.window window
          self.memo (Memo (fn [written] (or (get (parse-score written) 0) 0.0))))
    (.start self))

  (defn start [self]
    "Begins a document."
    (setv self.state 0
          self.line 0      ; lines seen
          self.scores []   ; of lines seen and not yet returned, as are the next four
          self.texts []
          self.rules []    ; a number; of a line that was held, #(number why it is no more)
          self.states []   ; after the line
          self.verdicts []
          self.held []))   ; which of them are held, as indices

  (defn feed [self scores texts values]
    (setv rules self.machine.RULES
          step self.machine.step
          state self.state
          held self.held)
    (for [#(written text score) (zip scores texts values)]
      (+= self.line 1)
      (setv number (step state score written text self.line (len held))
            #(_ _ action state settle) (get rules number))
      (when (and held (is-not settle None))
        (.settle self settle (show-rule self.machine number)))
      (when (= action HOLD)
        (.append held (len self.verdicts)))
      (.append self.rules number)
      (.append self.states state)
      (.append self.verdicts action)
      (when (and held (>= (- (len self.verdicts) (get held 0)) self.window))
        (.settle self 1 "the window")))
    (setv self.state state)
    (+= self.scores scores)
    (+= self.texts texts)
    (.take self (if held (get held 0) (len self.verdicts))))

  (defn finish [self]
    (setv verdict (get self.machine.ENDS self.state))
    (.settle self verdict f"(end {(get SETTLES verdict)})")
    (setv taken (.take self (len self.verdicts)))
    (.start self)
    taken)

  (defn settle [self verdict why]
    "Gives what is held a verdict."
    (for [index self.held]
      (setv (get self.verdicts index) verdict
            (get self.rules index) #((get self.rules index) why)))
    (.clear self.held))

  (defn take [self end]
    "Returns the first `end` of the lines that wait."
    (setv taken [])
    (for [waiting [self.scores self.texts self.rules self.states self.verdicts]]
      (.append taken (cut waiting end))
      (del (cut waiting end)))
    (setv self.held (lfor index self.held (- index end)))
    taken)

  (defn opened [self before key])  ; edges are of the other kind of machine

  (defn explain [self before state opened key]
    "What decided a line: its rule, and for a held one what ended that."
    (if (isinstance key int)
        (show-rule self.machine key)
        f"{(show-rule self.machine (get key 0))}, then {(get key 1)}")))
