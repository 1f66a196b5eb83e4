module mooring/scripts/curves

go 1.26
