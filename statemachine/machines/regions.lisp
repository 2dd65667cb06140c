; The default. Costs are in tenths of a nat: what a line of each score band tells against
; its being in that state. A section's menu inside the body (inset) is dear to enter and to
; leave, so that a few template-like lines of content never make one.
(weighted-machine regions
  (bands 0.05 0.25 0.5 0.8)
  (state header drop (costs 29 27 23 3 1)  (to body 10 (open 0)) (to footer 10))
  (state body   keep (costs 0 3 8 20 60)   (to inset 600) (to footer 10 (close 0)))
  (state inset  drop (costs 30 20 10 3 1)  (to body 150))
  (state footer drop (costs 29 27 23 3 1)))
