"Checks a machine that was read, and turns it into the tables that a runner needs.

    machine = (machine NAME state...)
    state   = (state NAME rule... [(end settle)])
    rule    = (condition action NAME [settle])      ; NAME is the state that follows
    action  = keep | drop | hold
    settle  = release | discard                     ; what is held: kept or dropped
    condition = else | blank | held | (op term number)
              | (and condition...) | (or condition...) | (not condition)
    op      = < | <= | > | >= | =
    term    = score | length | line | held

    machine = (weighted-machine NAME (bands number...) state...)
    state   = (state NAME verdict (costs cost...) [(verdicts verdict...)] move... mark... [(end cost)])
    move    = (to NAME cost [(open cost [cost])] [(close cost [cost])])
    mark    = (mark letters cost) | (mark letters cost...)      ; one for each band
    verdict = keep | drop

The first state is the one a document starts in. What each means is in sieve-machines(5)."

(import itertools [islice product])
(import operator)
(import re)
(import sieve.wire [SCALE])
(import statemachine.explain [SETTLES WORDS])
(import statemachine.reader [Atom Form Problem])

(setv HIGHEST 1_000_000)  ; a cost; sums over a document then fit 64 bits by far
(setv LETTERS 8)          ; that a mark of a state has
(setv STATES 64)          ; in a machine, and rules in a state: the runners test them in turn
(setv CASES 4_000)        ; tried to find one that no rule of a state covers; a second at most
(setv DIGITS 15)          ; of a number that a length, a line or a count of lines is compared with

(setv ACTIONS (dfor #(number word) (enumerate WORDS) word number))
(setv VERDICTS (dfor word ["drop" "keep"] word (get ACTIONS word)))
(setv ENDINGS (dfor #(verdict word) (enumerate SETTLES) word verdict))
(setv COMPARISONS {"<" operator.lt  "<=" operator.le  ">" operator.gt  ">=" operator.ge  "=" operator.eq})
(setv LEAST {"score" 0  "length" 0  "line" 1  "held" 0})  ; of what a condition compares


(defn check [form]
  "#(machine problems) of a `form`: tables by name, or None where there are problems (a list
  of Problem, in the order of the text)."
  (setv problems [])
  (defn wrong [node what]
    (.append problems (Problem node.at what)))
  (setv kind (head form)
        kinds {"machine" step-machine  "weighted-machine" weighted-machine}
        machine None)
  (cond
    (not-in kind kinds)
      (wrong form "a machine begins with (machine NAME or (weighted-machine NAME")
    (not (symbol? (second form)))
      (wrong form f"({kind} is followed by a name")
    True
      (setv machine ((get kinds kind) form wrong)))
  (.sort problems :key (fn [problem] problem.at))
  #((if problems None machine) problems))


;; --- what forms are made of ---

(defn head [form]
  "The atom that a list begins with, or None."
  (when (and (isinstance form Form) form (isinstance (get form 0) Atom))
    (get form 0)))

(defn second [form]
  (when (> (len form) 1) (get form 1)))

(defn symbol? [node]
  (and (isinstance node Atom) (.isalpha (get node 0))))

(defn number? [node]
  (and (isinstance node Atom) (not (is (re.match "-?[0-9]" node) None))))

(defn word [node table wrong]
  "What `table` has for the word `node`; one that it has not is wrong."
  (if (and (isinstance node Atom) (in node table))
      (get table node)
      (wrong node (+ "expected " (.join " or " table)))))

(defn cost [node wrong [least 0]]
  "The cost that `node` writes; 0 after a complaint."
  (if (and (isinstance node Atom) (re.fullmatch "-?[0-9]{1,7}" node) (<= least (int node) HIGHEST))
      (int node)
      (do (wrong node f"a cost is a whole number from {least} to {HIGHEST}") 0)))

(defn unique [nodes what wrong]
  "Complains of each of `nodes` (atoms) that comes again."
  (setv seen #{})
  (for [node nodes]
    (when (in node seen)
      (wrong node f"{what} {node} comes twice"))
    (.add seen node)))

(defn by-head [forms heads wrong]
  "{head [form...]} of `forms`, each of which must begin with one of `heads`."
  (setv found (dfor name heads name []))
  (for [form forms]
    (if (in (head form) found)
        (.append (get found (head form)) form)
        (wrong form (+ "expected " (.join " or " (gfor name heads (+ "(" name)))))))
  found)

(defn named-states [forms wrong]
  "Those of `forms` that are states with a name, in their order."
  (setv states (lfor form (get (by-head forms ["state"] wrong) "state")
                     :if (or (symbol? (second form)) (wrong form "a state has a name"))
                     form))
  (unique (lfor state states (get state 1)) "state" wrong)
  (when (> (len states) STATES)
    (wrong (get states STATES) f"a machine has at most {STATES} states"))
  states)

(defn numbered [states]
  "{name number} of states; of two with a name the first counts."
  (dfor #(i state) (reversed (list (enumerate states))) (get state 1) i))

(defn reachable [states numbers edges wrong]
  "Complains of each state that no path of `edges`, pairs of numbers, leads to."
  (setv reached #{0}
        grown True)
  (while grown
    (setv next (sfor #(a b) edges :if (in a reached) b)
          grown (- next reached)
          reached (| reached next)))
  (for [#(name i) (.items numbers)]
    (when (not-in i reached)
      (wrong (get states i) f"state {name} is never reached"))))


;; --- machines of rules ---

(defn step-machine [form wrong]
  (setv states (named-states (cut form 2 None) wrong)
        numbers (numbered states)
        rules []   ; #(state condition action next settle)
        ends [])
  (when (not states)
    (wrong form "a machine has at least one state"))
  (for [#(i state) (enumerate states)]
    (setv body (cut state 2 None)
          end (when (and body (= (head (get body -1)) "end")) (.pop body))
          own (lfor form body (rule form i numbers wrong)))
    (.append ends (if end (ending end wrong) 1))
    (when (> (len body) STATES)
      (wrong (get body STATES) f"a state has at most {STATES} rules"))
    (+= rules own)
    (cond
      (not own) (wrong state f"state {(get state 1)} has no rule")
      (all own) (cover state own wrong)))
  (reachable states numbers (lfor r (filter None rules) #((get r 0) (get r 3))) wrong)
  {"KIND" "machine"
   "NAME" (str (get form 1))
   "STATES" (lfor state states (str (get state 1)))
   "ENDS" ends
   "RULES" rules})

(defn rule [form state numbers wrong]
  "#(state condition action next settle) of a rule, or None after a complaint."
  (when (not (and (isinstance form Form) (in (len form) [3 4])))
    (return (wrong form "a rule is (CONDITION ACTION STATE), with release or discard at its end if need be")))
  (setv #(test action next) (cut form 3)
        settle (when (= (len form) 4) (word (get form 3) ENDINGS wrong))
        sound (or (= test "else") (condition test wrong))
        action (word action ACTIONS wrong)
        next (target next numbers wrong))
  (when (and sound (not-in None [action next]))
    #(state test action next settle)))

(defn target [name numbers wrong]
  "The number of the state called `name`."
  (if (in name (if (isinstance name Atom) numbers []))
      (get numbers name)
      (wrong name (if (symbol? name) f"unknown state {name}" "expected a state"))))

(defn ending [form wrong]
  (if (= (len form) 2)
      (word (get form 1) ENDINGS wrong)
      (wrong form "expected (end release) or (end discard)")))

(defn condition [form wrong]
  "Whether `form` is a condition; complains if not."
  (setv op (head form))
  (cond
    (in form ["blank" "held"])
      True
    (= form "else")
      (wrong form "else stands alone, for all that is left")
    (in op (list COMPARISONS))
      (comparison form wrong)
    (or (and (in op ["and" "or"]) (> (len form) 1)) (and (= op "not") (= (len form) 2)))
      (all (lfor part (cut form 1 None) (condition part wrong)))
    True
      (wrong form (+ "a condition is else, blank, held, (and ...), (or ...), (not CONDITION)"
                     " or a comparison such as (< score 0.5)"))))

(defn comparison [form wrong]
  "Whether `form` is a comparison; complains if not."
  (cond
    (not (and (= (len form) 3) (in (get form 1) (list LEAST)) (number? (get form 2))))
      (wrong form f"a comparison is (< TERM NUMBER), TERM one of {(.join ", " LEAST)}")
    (= (get form 1) "score")
      (or (<= 0 (float (get form 2)) 1)
          (wrong (get form 2) "a score is a number from 0 to 1"))
    True
      (or (and (.isdecimal (get form 2)) (<= (len (get form 2)) DIGITS))
          (wrong (get form 2) f"a {(get form 1)} is a whole number"))))


;; --- is there a rule for every case? ---

(defn cover [state rules wrong]
  "Complains of a case that none of a state's rules covers, and of a rule never applied.

  A comparison can only change its answer at its number, so each term is tried at every number
  it is compared with and on both sides of it: all cases are like one of those."
  (setv conditions (lfor r rules (get r 1))
        cases (typical conditions))
  (if (> (len cases) CASES)
      (when (not-in "else" conditions)
        (wrong state f"state {(get state 1)} needs a last rule (else ...)"))
      (do
        (setv idle (set (range (len rules)))
              bare None)
        (for [case cases]
          (for [#(i test) (enumerate conditions)]
            (when (holds test case)
              (.discard idle i)
              (break))
            (else
              (setv bare (or bare case)))))
        (when bare
          (wrong state f"in state {(get state 1)} no rule covers {(describe bare)}; add one or (else ...)"))
        (for [i (sorted idle)]
          (setv test (get conditions i))
          (when (or (!= test "else") (in "else" (cut conditions i)))
            (wrong test "this rule never applies: those before it cover all its cases"))))))

(defn typical [conditions]
  "One of every kind of case that `conditions` tell apart, as {term value}; of more than CASES
  only as many as tell that there are more."
  (setv compared {}  ; {term numbers}
        stack (list conditions))
  (while stack
    (setv test (.pop stack))
    (cond
      (in test ["blank" "held"]) (.add (.setdefault compared test #{}) 0)
      (isinstance test Atom) None
      (in (get test 0) COMPARISONS) (.add (.setdefault compared (get test 1) #{}) (float (get test 2)))
      True (+= stack (cut test 1 None))))
  (setv axes (lfor #(term numbers) (.items compared) (around term numbers)))
  (lfor values (islice (product #* axes) (+ CASES 1))
        (dict (zip compared values))))

(defn around [term numbers]
  "`numbers`, and what `term` can be on each side of them."
  (when (= term "score")
    (setv known (sorted (| numbers #{0.0 1.0})))
    (return (sorted (| (set known) (sfor #(a b) (zip known (cut known 1 None)) (/ (+ a b) 2))))))
  (setv least (.get LEAST term 0))
  (sorted (sfor n numbers step [-1 0 1] :if (>= (+ n step) least) (int (+ n step)))))

(defn holds [test case]
  "Whether a condition is true of a case."
  (cond
    (= test "else") True
    (isinstance test Atom) (bool (get case test))
    (= (get test 0) "and") (all (gfor part (cut test 1 None) (holds part case)))
    (= (get test 0) "or") (any (gfor part (cut test 1 None) (holds part case)))
    (= (get test 0) "not") (not (holds (get test 1) case))
    True ((get COMPARISONS (get test 0)) (get case (get test 1)) (float (get test 2)))))

(defn describe [case]
  (.join ", " (gfor #(term value) (.items case)
                    (if (= term "blank")
                        (if value "blank" "not blank")
                        f"{term} {value :g}"))))


;; --- weighted machines ---

(defn weighted-machine [form wrong]
  (setv parts (by-head (cut form 2 None) ["bands" "state"] wrong)
        bands (thresholds (get parts "bands") form wrong)
        states (named-states (get parts "state") wrong)
        numbers (numbered states)
        tables (lfor #(i state) (enumerate states)
                     (weighted-state state i (+ (len bands) 1) numbers wrong))
        moves (lfor table tables move (get table "moves") move))
  (when (not states)
    (wrong form "a machine has at least one state"))
  (reachable states numbers (lfor move moves (cut move 2)) wrong)
  {"KIND" "weighted-machine"
   "NAME" (str (get form 1))
   "STATES" (lfor state states (str (get state 1)))
   "BANDS" bands
   "VERDICTS" (lfor table tables (get table "verdicts"))
   "COSTS" (lfor table tables (get table "costs"))
   "MOVES" moves
   "ADDED" (lfor table tables (get table "added"))
   "INSTEAD" (lfor table tables (get table "instead"))
   "ENDS" (lfor table tables (get table "end"))})

(defn thresholds [forms machine wrong]
  "The bands' thresholds, rising, in ten-thousandths."
  (when (!= (len forms) 1)
    (wrong (get [#* forms machine] (if forms 1 0)) "a weighted machine has one (bands THRESHOLD...)"))
  (setv bands [])
  (for [node (if forms (cut (get forms 0) 1 None) [])]
    (setv match (and (isinstance node Atom) (re.fullmatch r"([01])(?:\.([0-9]{1,4}))?" node))
          parts (if match (int (+ (get match 1) (.ljust (or (get match 2) "") 4 "0"))) 0))
    (cond
      (not (< 0 parts (+ SCALE 1)))
        (wrong node "a threshold is a number above 0, up to 1, with at most four decimals")
      (and bands (<= parts (get bands -1)))
        (wrong node "thresholds rise from one to the next"))
    (.append bands parts))
  bands)

(defn weighted-state [form state bands numbers wrong]
  "The tables of one state."
  (setv #(verdict rest) #((cut form 2 3) (cut form 3 None)))
  (when (or (not verdict) (isinstance (get verdict 0) Form))
    (wrong form "a state's name is followed by keep or drop")
    (setv #(verdict rest) #([] (cut form 2 None))))
  (setv verdict (lfor node verdict (word node VERDICTS wrong))
        parts (by-head rest ["costs" "verdicts" "to" "mark" "end"] wrong)
        marks (lfor form (get parts "mark") (mark form bands wrong)))
  (defn per-band [head convert default]
    (setv found (get parts head))
    (when (> (len found) 1)
      (wrong (get found 1) f"a second ({head}"))
    (when (not found)
      (return default))
    (setv values (lfor node (cut (get found 0) 1 None) (convert node)))
    (when (!= (len values) bands)
      (wrong (get found 0) f"{(len values)} {head} where there are {bands} bands"))
    values)
  (when (not (get parts "costs"))
    (wrong form f"state {(get form 1)} has no (costs ...)"))
  (unique (lfor move (get parts "to") :if (symbol? (second move)) (get move 1)) "a move to" wrong)
  (unique (lfor mark (get parts "mark") :if (symbol? (second mark)) (get mark 1)) "mark" wrong)
  {"costs" (per-band "costs" (fn [node] (cost node wrong)) [])
   "verdicts" (per-band "verdicts" (fn [node] (word node VERDICTS wrong)) (* verdict bands))
   "moves" (lfor form (get parts "to") (move form state numbers wrong))
   "added" (lfor #(letters costs) marks :if (= (len costs) 1) #(letters (get costs 0)))
   "instead" (lfor #(letters costs) marks :if (> (len costs) 1) #(letters costs))
   "end" (get (numbers-of parts "end" [1] wrong) 0)})

(defn numbers-of [parts head lengths wrong [least 0]]
  "The costs of the one form that begins with `head`, as many as one of `lengths`; a 0 without."
  (setv found (get parts head))
  (when (> (len found) 1)
    (wrong (get found 1) f"a second ({head}"))
  (cond
    (not found) [0]
    (not-in (- (len (get found 0)) 1) lengths)
      (do (setv forms (gfor n lengths (+ f"({head}" (* " COST" n) ")")))
          (wrong (get found 0) (+ "expected " (.join " or " forms)))
          [0])
    True (lfor node (cut (get found 0) 1 None) (cost node wrong least))))

(defn move [form state numbers wrong]
  "#(from to cost open close) of a move: `open` and `close` are lists of two costs, or None
  where it has none."
  (when (< (len form) 3)
    (wrong form "a move is (to STATE COST), with (open COST) and (close COST) if need be")
    (return #(state state 0 None None)))
  (setv next (target (get form 1) numbers wrong)
        parts (by-head (cut form 3 None) ["open" "close"] wrong)
        least (- HIGHEST))
  (when (= next state)
    (wrong form "staying in a state is no move and costs nothing"))
  (defn edge [head]
    (when (get parts head)
      (setv costs (numbers-of parts head [1 2] wrong least))
      [(get costs 0) (get costs -1)]))
  #(state (if (is next None) state next) (cost (get form 2) wrong least) (edge "open") (edge "close")))

(defn mark [form bands wrong]
  "#(letters costs) of a mark: one cost, or one for each band."
  (if (and (in (- (len form) 2) [1 bands]) (isinstance (get form 1) Atom) (.isalpha (get form 1))
           (<= (len (get form 1)) LETTERS))
      #((str (get form 1)) (lfor node (cut form 2 None) (cost node wrong)))
      (do (wrong form f"expected (mark LETTERS COST), or {bands} costs, one for each band") #("" [0]))))
