/**
 * PostGraphile on plain tables (plain.sql), which have no foreign keys: smart tags say how they are related. What no
 * selection over tables can express (latest snapshots, earnings, rates) are SQL functions in the schema `speed`.
 */
import { createServer } from 'node:http'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
import { jsonPgSmartTags } from 'postgraphile/utils'

const relations = {
  multiplier: [
    '(pool_address) references pool (id)|@fieldName pool|@foreignSingleFieldName multiplier',
  ],
  market: ['(pool_address) references pool (id)|@fieldName pool|@foreignFieldName markets'],
  position: [
    '(pool_address) references pool (id)|@fieldName pool|@foreignFieldName positions',
    '(user_address) references account (user_address)|@fieldName account|@foreignFieldName positions',
    '(user_address, distribution_date) references account_day (user_address, distribution_date)|@fieldName day|@foreignFieldName positions',
  ],
  market_snapshot: [
    '(chain_id, market_id) references market (chain_id, id)|@fieldName market|@foreignFieldName snapshots',
  ],
  vault_snapshot: [
    '(chain_id, vault_id) references vault (chain_id, id)|@fieldName vault|@foreignFieldName snapshots',
  ],
}

/** Columns that are filtered by although they are not the first of an index. */
const filtered = {
  market_liquidation_reward: ['collateral_market_id'],
  vault_liquidation_reward: ['vault_id'],
}

const tags = {}
for (const [table, foreignKey] of Object.entries(relations)) tags[table] = { tags: { foreignKey } }
for (const [table, columns] of Object.entries(filtered))
  tags[table] = {
    attribute: Object.fromEntries(
      columns.map((column) => [column, { tags: { behavior: '+filterBy' } }]),
    ),
  }

const preset = {
  extends: [PostGraphileAmberPreset],
  plugins: [jsonPgSmartTags({ version: 1, config: { class: tags } })],
  pgServices: [
    makePgService({
      connectionString: process.env.DATABASE_URL,
      schemas: ['plain', 'speed'],
      poolConfig: { max: 10 },
      pubsub: false,
    }),
  ],
  grafserv: { graphqlPath: '/graphql', graphiql: false, websockets: false, maxRequestLength: 1e6 },
  grafast: { explain: false },
}

const serv = postgraphile(preset).createServ(grafserv)
const graphql = serv.createHandler()
await serv.ready()
createServer((request, response) => {
  if (request.url === '/health') response.end('ok')
  else graphql(request, response)
}).listen(Number(process.env.PORT), '127.0.0.1')
