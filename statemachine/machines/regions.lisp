; The default: a header, a body, a footer; the body is the stretch of lines with most to say.
; Costs are in tenths of what an ordinary new line is worth. What is new speaks for the body, a
; long line (l) twice as much as most, a short one (h) half; a line that others have (r) little,
; and nothing if they have it beside the same line (R), as a section's menu, if it is in a
; table of contents (e), or if it begins or ends as most do at this place (p). Template speaks
; against the body, most if it stands where it does in most of the others (a), since a heading
; is in every page's body, too.
;
; A document is never in the state it starts from: that only says what beginning with a body
; costs. Of equals the state named first wins, so a line that tells nothing goes to the footer
; before the body, and to the body before the header; but a document rather ends in its body.
(weighted-machine regions
  (bands 0.25 0.5)
  (state top drop (costs 1000000 1000000 1000000) (to header 0) (to body 4))
  (state footer drop (costs 10 3 0)
    (mark p 0 0 0) (mark R 0 0 0) (mark e 0 0 0) (mark r 2 2 0) (mark E 5 3 0) (mark l 20 6 0) (mark h 5 2 0)
    (end 1))
  (state body keep (costs 0 0 2)
    (mark a 0 0 6)
    (to footer 0 (close -20 -50)))
  (state header drop (costs 10 3 0)
    (mark p 0 0 0) (mark R 0 0 0) (mark e 0 0 0) (mark r 2 2 0) (mark E 5 3 0) (mark l 20 6 0) (mark h 5 2 0)
    (to body 0 (open -20 -50)) (to footer 20) (end 20)))
