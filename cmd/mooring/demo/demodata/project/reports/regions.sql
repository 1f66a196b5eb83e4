SELECT
  region AS Region,
  sum(residents_2010) AS "2010",
  sum(residents_2020) AS "2020"
FROM states
GROUP BY region
ORDER BY region
