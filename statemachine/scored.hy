"Reads blocks of a scored stream, and remembers what a written score means."

(import io [BytesIO])

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


(defn scored [block memo]
  "The lines of `block` as lists #(scores texts values), texts with their LF and values as `memo`
  has them for the scores, and what is wrong with the line at which they end, or None."
  (setv parts (lfor line (BytesIO block) (.partition line b"\t"))
        values []
        wrong None)
  (try
    (for [#(written tab _) parts]
      (.append values (get memo (if tab written b""))))
    (except [ValueError]
      (setv wrong (if tab "no score before the TAB" "no TAB after a score")
            parts (cut parts (len values)))))
  #((lfor part parts (get part 0)) (lfor part parts (get part 2)) values wrong))
