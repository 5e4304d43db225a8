import './brand/theme.ts'
import { createRoot } from 'react-dom/client'
import { Client, cacheExchange, fetchExchange, mapExchange, Provider } from 'urql'
import { Route, Router, Switch } from 'wouter'
import { ExactNumbers } from './exact-numbers.tsx'
import { Layout } from './layout.tsx'
import { Live } from './live.tsx'
import { withVisibleNames } from './names.ts'
import { Page } from './page-frame.tsx'
import { served } from './paths.ts'
import { Tokens } from './tokens.tsx'
import { Boosts } from './views/boosts.tsx'
import { Compare } from './views/compare.tsx'
import { Distribution } from './views/distribution.tsx'
import { Distributions } from './views/distributions.tsx'
import { Leaderboard } from './views/leaderboard.tsx'
import { Operate } from './views/operate.tsx'
import { Overview } from './views/overview.tsx'
import { Planner } from './views/planner.tsx'
import { Pool } from './views/pool.tsx'
import { Pools } from './views/pools.tsx'
import { Risk } from './views/risk.tsx'
import { Rules } from './views/rules.tsx'
import { Run } from './views/run.tsx'
import { Search } from './views/search.tsx'
import { Status } from './views/status.tsx'
import { Vault } from './views/vault.tsx'
import { Vaults } from './views/vaults.tsx'
import { Wallet } from './views/wallet.tsx'

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
            <Router base={served('/dashboard')}>
              <Layout>
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
