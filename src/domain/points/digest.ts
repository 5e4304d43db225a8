/** Describes a digest of points. */
export const DIGEST_OF =
  'SHA-256, in hexadecimal, over one line for each user, sorted: address, a space, points with ' +
  'six decimals, a line feed'

/** SQL of the digest of a group of rows, one for each user, with points in millionths. */
export const digestSql = (points = 'points'): string =>
  `encode(sha256(convert_to(coalesce(string_agg(user_address || ' ' || round(${points} * 0.000001,
    6) || E'\\n', ''
    ORDER BY user_address COLLATE "C"), ''), 'UTF8')), 'hex')`
