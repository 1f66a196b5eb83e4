SELECT
  state AS State,
  residents_2020 - residents_2010 AS Growth,
  round(100.0 * (residents_2020 - residents_2010) / residents_2010, 1) AS Percent
FROM states
ORDER BY Percent DESC, State
LIMIT 10
