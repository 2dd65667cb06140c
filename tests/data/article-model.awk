# The article's way to learn a template: hashes of the 4-grams that are in at least 0.8 of the files.
# Run as: awk -f article-model.awk FILE...

function ordinal(c) {
    return index(" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~", c) + 31
}

function hash(s,    h, i) {
    h = 5381
    for (i = 1; i <= length(s); i++)
        h = (h * 31 + ordinal(substr(s, i, 1))) % 4294967296
    return h
}

function count_line(line, file,    i, h) {
    if (line in seen) return
    seen[line]
    for (i = 1; i <= length(line) - 3; i++) {
        h = hash(substr(line, i, 4))
        if (!((file, h) in counted)) {
            counted[file, h]
            files[h]++
        }
    }
}

FNR == 1 { split("", seen) }
length($0) >= 4 { count_line($0, FILENAME) }
END { for (h in files) if (files[h] >= (ARGC - 1) * 0.8) printf "%.0f\n", h }
