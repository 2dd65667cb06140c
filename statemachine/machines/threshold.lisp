; The article's filter alone: a line stays when less than half of it is template.
(machine threshold
  (state any ((< score 0.5) keep any) (else drop any)))
