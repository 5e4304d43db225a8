import { sqlColumns } from 'pothos-sql'
import { expect, test } from 'vitest'

/** `npm run types` checks this: a line that must not compile, and does, is an error there. */
test('a sort key that may be null has values among which null has a place', () => {
  const columns = sqlColumns({
    placed: { sql: 't.placed', type: 'float', nullable: true, sort: true },
    whole: { sql: 't.whole', type: 'text', sort: true },
    unsorted: { sql: 't.unsorted', type: 'text', nullable: true },
    // @ts-expect-error null has no place among texts
    placeless: { sql: 't.placeless', type: 'text', nullable: true, sort: true },
  })
  expect(Object.keys(columns)).toHaveLength(4)
})
