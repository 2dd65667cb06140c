;; The article's method: a state, a score, a verdict. Reads SCORE<TAB>TEXT, prints kept text.
(setf *read-default-float-format* 'double-float)

(defparameter *template* 0.5)

(defun place (score state)
  (cond ((and (eq state :header) (< score *template*)) (values t :body))
        ((and (eq state :body) (> score *template*)) (values nil :footer))
        ((eq state :footer) (values nil :footer))
        (t (values t state))))

(defun number-of (word)
  (if (string= word "-") 0 (let ((*read-eval* nil)) (read-from-string word))))

(let ((state :header))
  (loop for line = (read-line *standard-input* nil)
        while line
        do (let ((tab (position #\Tab line)))
             (multiple-value-bind (kept next) (place (number-of (subseq line 0 tab)) state)
               (setf state next)
               (when kept
                 (write-line (subseq line (1+ tab))))))))
