import { defineLookup, sqlFields } from 'pothos-sql'
import { programNameSql } from '../../../domain/distribution/program.ts'
import { seasonColumns, seasonsNamed } from '../../../domain/season/season.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import type { Builder } from '../builder.ts'
import { columnsType } from '../column-fields.ts'
import { addNode } from './node.ts'

const activeSeason = defineLookup({
  columns: seasonColumns,
  types: [],
  at: () => Prisma.sql`FROM season t WHERE t.status = 'active'`,
})

/** Adds seasons, and the name of the program. */
export function addSeason(builder: Builder, programName: string | undefined): void {
  const { changedAt: _, changedBy: __, ...columns } = seasonColumns
  builder.enumType('SeasonStatus', {
    description: 'The status of a season as of today, UTC.',
    values: {
      UPCOMING: { description: 'It has not begun.' },
      ACTIVE: { description: 'Today is one of its dates.' },
      ENDED: { description: 'Its last date is past.' },
    },
  })
  const Season = columnsType(builder, 'Season', columns, {
    description: 'A season of the program: named dates, the first and last included.',
    enums: { status: 'SeasonStatus' },
  })
  addNode(builder, Season, 'name', (name, { batches }) => batches.load(seasonsNamed, name))
  builder.objectFields('Program', (t) => ({
    name: t.string({
      nullable: true,
      description: 'The name of the points program. Null if the operator has not set one.',
      ...sqlFields.declare({ kind: 'sql', type: 'text', sql: () => programNameSql(programName) }),
      resolve: () => programName ?? null,
    }),
    season: t.field({
      type: Season,
      nullable: true,
      description: 'The season of today, UTC. Null outside of seasons.',
      ...sqlFields.lookup(activeSeason, []),
    }),
    seasons: t.field({
      description: 'All seasons, by their dates. Without any, every date counts.',
      ...sqlFields.list(t.arg, 'Season', {
        columns: seasonColumns,
        by: [],
        from: () => Prisma.sql`FROM season t ORDER BY t.starts_at`,
        extensions: { cost: { rows: 5 } },
      }),
    }),
  }))
}
