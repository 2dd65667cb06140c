"Compiles a checked machine through Hy: its tables, and one function that decides.

For a machine of rules, `(step state score written text line held)` gives the number of the
rule that applies. For a weighted one, `(advance costs opened band marks)` gives the states'
costs after a line and the state that the cheapest path to each came from. Names in a machine
become strings and numbers only, never names of the program."

(import hy)
(import hy.models [as-model Symbol])

(setv CUT 1_000)         ; a state this much above the best is dropped: part of the language
(setv DEAD (<< 1 60))    ; the cost of a state that was dropped; no path comes near


(defn program [machine id]
  "The Hy model of a module for `machine` (tables as `check` gives them): the tables as
  constants, ID (str), and its function."
  (setv marks (.join "" (sorted (letters machine))))
  (setv tables {"ID" id  #** machine})
  (if (= (get machine "KIND") "machine")
      (setv function (step machine)
            (get tables "RULES") (lfor #(state test #* rest) (get machine "RULES")
                                       [state (show test) #* rest]))
      (setv function (advance machine marks)
            (get tables "MARKS") marks
            (get tables "DEAD") DEAD))
  `(do
     ~@(lfor #(name value) (.items tables) `(setv ~(Symbol name) ~(as-model value)))
     ~function))

(defn show [form]
  "A form as text."
  (if (isinstance form str)
      (str form)
      (+ "(" (.join " " (map show form)) ")")))


;; --- machines of rules ---

(defn step [machine]
  (setv states {}
        length [])
  (for [#(number [state test #* _]) (enumerate (get machine "RULES"))]
    (.extend (.setdefault states state []) [(condition test) number])
    (when (in " length " (show test))
      (setv length ['(setv length (len (.decode (.removesuffix text b"\n") "utf-8" "surrogateescape")))])))
  `(defn step [state score written text line held]
     ~@length
     (cond ~@(gfor #(state rules) (.items states)
                   part [`(= state ~state) `(cond ~@rules)]
                   part))))

(defn condition [form]
  "A condition as Hy."
  (cond
    (= form "else") 'True
    (= form "held") '(> held 0)
    (= form "blank") '(or (= written b"-") (not (.strip text)))
    (in (get form 0) ["and" "or" "not"])
      `(~(Symbol (get form 0)) ~@(map condition (cut form 1 None)))
    True
      `(~(Symbol (get form 0))
         ~(Symbol (get form 1))
         ~((if (= (get form 1) "score") float int) (get form 2)))))


;; --- weighted machines ---

(defn letters [machine]
  "The marks that make a difference to a weighted machine."
  (setv moves (.get machine "MOVES" []))
  (| (sfor table ["ADDED" "INSTEAD"] marks (.get machine table []) #(written _) marks letter written letter)
     (if (any (gfor move moves (get move 3))) #{"o" "O"} #{})
     (if (any (gfor move moves (get move 4))) #{"c" "C"} #{})))

(defn advance [machine marks]
  "`costs` has a number for each state; `opened` is 1 or 2 if the last line that was not blank
  had mark o or O, else 0; `band` is one more than the last for a blank line, `marks` has a bit
  for each letter of MARKS. The least of #(cost origin) is what makes ties go to the state
  named first."
  (setv states (range (len (get machine "STATES")))
        before (lfor i states (Symbol f"before{i}"))
        after (lfor i states (Symbol f"after{i}"))
        origin (lfor i states (Symbol f"origin{i}")))
  (defn has [written]
    (setv bits (sum (gfor letter (set written) (<< 1 (.index marks letter)))))
    `(= (& marks ~bits) ~bits))
  (defn price [cost open close]
    (setv opening (as-model #(None #* (or open [None None])))
          closing (if close `(cond ~(has "C") ~(get close 1)  ~(has "c") ~(get close 0)) 'None))
    (if (= [open close] [None None])
        cost
        `(min (filter (fn [price] (is-not price None)) #((get ~opening opened) ~closing)) :default ~cost)))
  (defn arrive [state]
    (setv ways [`#(~(get before state) ~state)
                #* (gfor #(start end #* prices) (get machine "MOVES")
                         :if (= end state)
                         `#((+ ~(get before start) ~(price #* prices)) ~start))])
    `(setv #(~(get after state) ~(get origin state))
           ~(if (= (len ways) 1) (get ways 0) `(min ~@ways))))
  (defn per-band [costs]
    (as-model #(#* costs 0)))
  (defn pay [state]
    `(+= ~(get after state)
         (get (cond ~@(gfor #(written costs) (get machine "INSTEAD" state)
                            part [(has written) (per-band costs)]
                            part)
                    True ~(per-band (get machine "COSTS" state)))
              band)
         ~@(gfor #(written cost) (get machine "ADDED" state) `(if ~(has written) ~cost 0))))
  `(defn advance [costs opened band marks]
     (setv #(~@before) costs)
     ~@(map arrive states)
     ~@(map pay states)
     (setv best (min #(~@after))  limit (+ best ~CUT))
     #(#(~@(gfor cost after `(if (< ~cost limit) (- ~cost best) ~DEAD))) #(~@origin))))
