# The article's score: the share of a line's 4-grams that are in the model, 0 for a shorter line.
# Run as: awk -v model=FILE -f article-score.awk FILE...; prints SCORE<TAB>LINE, as line-score does.

function ordinal(c) {
    return index(" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~", c) + 31
}

function hash(s,    h, i) {
    h = 5381
    for (i = 1; i <= length(s); i++)
        h = (h * 31 + ordinal(substr(s, i, 1))) % 4294967296
    return h
}

function score(line,    i, found, total) {
    for (i = 1; i <= length(line) - 3; i++) {
        total++
        if (hash(substr(line, i, 4)) in template) found++
    }
    return total ? found / total : 0
}

BEGIN { while ((getline h < model) > 0) if (h !~ /^#/) template[h] }
{ printf "%.4f\t%s\n", score($0), $0 }
