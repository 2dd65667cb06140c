"Reads blocks of a scored stream, and remembers what a written score means."

(import io [BytesIO])
(import sieve.wire [FormatError])

(setv REMEMBERED 20_000)  ; written scores: twice as many as have four decimals and no marks
(setv WRITTEN 32)         ; bytes of a score worth remembering


(defclass Memo [dict]
  "A function of a written score (bytes), remembered within bounds."
  (defn __init__ [self function]
    (setv self.function function))

  (defn __missing__ [self written]
    (setv value (.function self written))
    (when (<= (len written) WRITTEN)
      (when (>= (len self) REMEMBERED)
        (.clear self))
      (setv (get self written) value))
    value))


(defn scored [block memo number]
  "The lines of `block`, of which the first has `number` in its document, as lists
  #(scores texts values fault): texts with their LF, values as `memo` has them for the scores.
  `fault` is None or the FormatError of the line at which the lists end."
  (setv parts (lfor line (BytesIO block) (.partition line b"\t")))
  (try
    (setv values (lfor #(written tab _) parts (get memo (if tab written b"")))
          fault None)
    (except [ValueError]
      (setv values [])
      (for [#(written tab _) parts]
        (try
          (.append values (get memo (if tab written b"")))
          (except [ValueError]
            (setv fault (FormatError (+ number (len values))
                                     (if tab "no score before the TAB" "no TAB after a score")))
            (break))))
      (setv parts (cut parts (len values)))))
  #((lfor part parts (get part 0)) (lfor part parts (get part 2)) values fault))
