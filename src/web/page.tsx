import './brand/theme.ts'
import { lazy, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { Client, cacheExchange, fetchExchange, mapExchange, Provider } from 'urql'
import { Route, Router, Switch } from 'wouter'
import { useLocationAsOf } from './as-of.tsx'
import { ExactNumbers } from './exact-numbers.tsx'
import { Layout } from './layout.tsx'
import { Live } from './live.tsx'
import { withVisibleNames } from './names.ts'
import { Page } from './page-frame.tsx'
import { served } from './paths.ts'
import { Tokens } from './tokens.tsx'
import { Leaderboard } from './views/leaderboard.tsx'
import { Overview } from './views/overview.tsx'
import { Pool } from './views/pool.tsx'
import { Pools } from './views/pools.tsx'
import { Search } from './views/search.tsx'
import { Wallet } from './views/wallet.tsx'

const Compare = lazy(async () => ({ default: (await import('./views/later-charts.ts')).Compare }))
const Distributions = lazy(async () => ({
  default: (await import('./views/later-charts.ts')).Distributions,
}))
const Vault = lazy(async () => ({ default: (await import('./views/later-charts.ts')).Vault }))
const Boosts = lazy(async () => ({ default: (await import('./views/later-tables.ts')).Boosts }))
const Distribution = lazy(async () => ({
  default: (await import('./views/later-tables.ts')).Distribution,
}))
const Operate = lazy(async () => ({ default: (await import('./views/later-tables.ts')).Operate }))
const Planner = lazy(async () => ({ default: (await import('./views/later-tables.ts')).Planner }))
const Risk = lazy(async () => ({ default: (await import('./views/later-tables.ts')).Risk }))
const Rules = lazy(async () => ({ default: (await import('./views/later-tables.ts')).Rules }))
const Run = lazy(async () => ({ default: (await import('./views/later-tables.ts')).Run }))
const Status = lazy(async () => ({ default: (await import('./views/later-tables.ts')).Status }))
const Vaults = lazy(async () => ({ default: (await import('./views/later-tables.ts')).Vaults }))

const client = new Client({
  url: served('/graphql'),
  preferGetMethod: false,
  exchanges: [
    mapExchange({ onResult: (result) => ({ ...result, data: withVisibleNames(result.data) }) }),
    cacheExchange,
    fetchExchange,
  ],
  fetchOptions: { headers: { accept: 'application/graphql-response+json, application/json' } },
})

function Dashboard() {
  return (
    <Provider value={client}>
      <Live>
        <Tokens>
          <ExactNumbers>
            <Router base={served('/dashboard')} hook={useLocationAsOf}>
              <Layout>
                <Suspense fallback={<div className="opening" />}>
                  <Switch>
                    <Route path="/" component={Overview} />
                    <Route path="/leaderboard" component={Leaderboard} />
                    <Route path="/wallets/:address">
                      {({ address }) => <Wallet key={address} address={address} />}
                    </Route>
                    <Route path="/compare" component={Compare} />
                    <Route path="/pools" component={Pools} />
                    <Route path="/pools/:address">
                      {({ address }) => <Pool key={address} address={address} />}
                    </Route>
                    <Route path="/vaults" component={Vaults} />
                    <Route path="/vaults/:chainId/:address">
                      {({ chainId, address }) => (
                        <Vault key={address} chainId={chainId} address={address} />
                      )}
                    </Route>
                    <Route path="/distributions" component={Distributions} />
                    <Route path="/distributions/:date">
                      {({ date }) => <Distribution key={date} date={date} />}
                    </Route>
                    <Route path="/risk" component={Risk} />
                    <Route path="/boosts" component={Boosts} />
                    <Route path="/planner" component={Planner} />
                    <Route path="/rules" component={Rules} />
                    <Route path="/runs/:recordId">
                      {({ recordId }) => <Run key={recordId} recordId={recordId} />}
                    </Route>
                    <Route path="/operate" component={Operate} />
                    <Route path="/status" component={Status} />
                    <Route path="/search" component={Search} />
                    <Route>
                      <Page title="Page not found">
                        <p>There is no such page. Choose one from the menu above, or search.</p>
                      </Page>
                    </Route>
                  </Switch>
                </Suspense>
              </Layout>
            </Router>
          </ExactNumbers>
        </Tokens>
      </Live>
    </Provider>
  )
}

const root = document.getElementById('dashboard')
if (root) createRoot(root).render(<Dashboard />)
