-- overlapping finds what meets the placement of that member, whose first row is top, in the cell indexes of its sheet. After overlapping.
function functions.overlapping(low, middle, high, member, begin, top)
  return overlapping({low, middle, high}, member, begin, top, string.sub(member, 1, 7), string.sub(member, 9, 13), string.sub(member, 15, 19))
end
