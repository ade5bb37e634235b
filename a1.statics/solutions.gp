# Pictures by gnuplot (5.2 or later). Edit this file and run it again in this folder:
#     gnuplot solutions.gp
# The data is in solutions.dat; each of its blocks says what its columns are.

data = "solutions.dat"; images = "solutions.rgb"
set encoding utf8; set minussign

# Lines: colours that can be told apart also with colour blindness (Okabe and Ito).
set style line 1 linewidth 1.5 linecolor rgb "#0072B2"
set style line 2 linewidth 1.5 linecolor rgb "#D55E00"
set style line 3 linewidth 1.5 linecolor rgb "#009E73"
set style line 4 linewidth 1.5 linecolor rgb "#CC79A7"
set style line 5 linewidth 1.5 linecolor rgb "#56B4E9"
set style line 6 linewidth 1.5 linecolor rgb "#E69F00"
set style line 7 linewidth 1.5 linecolor rgb "#000000"
set style line 8 linewidth 1.5 linecolor rgb "#F0E442"

# Axes: left and bottom, a light grid, a thin line at zero.
set border 3 linewidth 0.75 linecolor rgb "#404040"
set tics nomirror out scale 0.6 textcolor rgb "#000000"
set grid linetype 1 linewidth 0.4 linecolor rgb "#d8d8d8"
set zeroaxis linetype 1 linewidth 0.5 linecolor rgb "#909090"
set format y "%g"

# ---- solutions
do for [kind in "png svg"] {
    if (kind eq "png") {
        set terminal pngcairo noenhanced size 1600,1185 font "DejaVu Sans,22" linewidth 2 rounded
    } else { if (kind eq "svg") {
        set terminal svg noenhanced size 800,592 font "DejaVu Sans,14" linewidth 1 rounded background "white"
    } else {
        set terminal pdfcairo noenhanced size 8.00in,5.92in font "DejaVu Sans,10.5" linewidth 1 rounded
    } }
    set output "solutions".".".kind
    set multiplot

    # panel 1
    set lmargin at screen 0.1188; set rmargin at screen 0.7672
    set bmargin at screen 0.7046; set tmargin at screen 0.9662
    unset title
    set xrange [0.9:1.1]; set xtics 1
    set yrange [0.225:0.275]; set ytics 0.01
    unset xlabel
    set ylabel "coordinates"
    set format x ""
    set key at screen 0.7828,0.9662 left top Left reverse samplen 2 spacing 1.2
    plot data index 0 using 1:2 with points linestyle 1 pointtype 7 pointsize 0.7 title "x"

    # panel 2
    set lmargin at screen 0.1188; set rmargin at screen 0.7672
    set bmargin at screen 0.4051; set tmargin at screen 0.6667
    unset title
    set xrange [0.9:1.1]; set xtics 1
    set yrange [0.9:1.1]; set ytics 0.05
    unset xlabel
    set ylabel "normal force"
    set format x ""
    set key at screen 0.7828,0.6667 left top Left reverse samplen 2 spacing 1.2
    plot data index 0 using 1:3 with points linestyle 1 pointtype 7 pointsize 0.7 title "c.normal"

    # panel 3
    set lmargin at screen 0.1188; set rmargin at screen 0.7672
    set bmargin at screen 0.1055; set tmargin at screen 0.3671
    unset title
    set xrange [0.9:1.1]; set xtics 1
    set yrange [0.225:0.275]; set ytics 0.01
    set xlabel "solution"
    set ylabel "tangential force"
    set format x "%g"
    set key at screen 0.7828,0.3671 left top Left reverse samplen 2 spacing 1.2
    plot data index 0 using 1:4 with points linestyle 1 pointtype 7 pointsize 0.7 title "c.tangential"
    unset multiplot
    set output
}
