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
  (| (sfor added (.get machine "ADDED" []) letter added letter)
     (if (any (gfor move moves (is-not (get move 3) None))) #{"o"} #{})
     (if (any (gfor move moves (is-not (get move 4) None))) #{"c"} #{})))

(defn advance [machine marks]
  "`costs` has a number for each state and `opened` tells whether the line before had mark o;
  `band` is one more than the last for a line without evidence, `marks` has a bit for each
  letter of MARKS. The least of #(cost origin) is what makes ties go to the state named first."
  (setv states (range (len (get machine "STATES")))
        before (lfor i states (Symbol f"before{i}"))
        after (lfor i states (Symbol f"after{i}"))
        origin (lfor i states (Symbol f"origin{i}")))
  (defn bit [letter]
    `(& marks ~(<< 1 (.index marks letter))))
  (defn price [cost open close]
    (setv closed (if (is close None) cost `(if ~(bit "c") ~close ~cost)))
    (cond
      (is open None) closed
      (is close None) `(if opened ~open ~cost)
      True `(if opened (if ~(bit "c") ~(min open close) ~open) ~closed)))
  (defn arrive [state]
    (setv ways [`#(~(get before state) ~state)
                #* (gfor #(start end cost open close) (get machine "MOVES")
                         :if (= end state)
                         `#((+ ~(get before start) ~(price cost open close)) ~start))])
    `(setv #(~(get after state) ~(get origin state))
           ~(if (= (len ways) 1) (get ways 0) `(min ~@ways))))
  (defn pay [state]
    `(+= ~(get after state)
         (get ~(as-model #(#* (get machine "COSTS" state) 0)) band)
         ~@(gfor #(letter cost) (.items (get machine "ADDED" state)) `(if ~(bit letter) ~cost 0))))
  `(defn advance [costs opened band marks]
     (setv #(~@before) costs)
     ~@(map arrive states)
     ~@(map pay states)
     (setv best (min #(~@after))  limit (+ best ~CUT))
     #(#(~@(gfor cost after `(if (< ~cost limit) (- ~cost best) ~DEAD))) #(~@origin))))
