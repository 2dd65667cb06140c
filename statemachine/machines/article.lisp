; The article's machine, to the letter: a header up to the first line that looks like
; content, then the body up to the first that looks like template, then all is footer.
(machine article
  (state header ((< score 0.5) keep body)   (else keep header))
  (state body   ((> score 0.5) drop footer) (else keep body))
  (state footer (else drop footer)))
