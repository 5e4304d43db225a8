import type { Page } from './page.ts'

interface Role {
  name: string
  question: string
  links: [text: string, href: string][]
}

const ROLES: Role[] = [
  {
    name: 'Points hunter',
    question: 'Your rank, your points each day, and the boosts that raise them.',
    links: [
      ['Leaderboard', '/dashboard/leaderboard'],
      ['Pools and their boosts', '/dashboard/pools'],
      ['How points are computed', '/docs/start#one-number-and-its-origin'],
    ],
  },
  {
    name: 'Saver',
    question: 'Vaults and pools with their rates, and the profit of your wallet in parts.',
    links: [
      ['Vaults', '/dashboard/vaults'],
      ['Find your wallet', '/dashboard'],
      ['The views of the dashboard', '/docs/dashboard'],
    ],
  },
  {
    name: 'Risk desk',
    question: 'Who is liquidated first if a price moves, and how much debt that is.',
    links: [
      ['Risk', '/dashboard/risk'],
      ['Series, past dates and CSV', '/docs/data-analyst'],
      ['Queries to copy', '/docs/graph'],
    ],
  },
  {
    name: 'Operator',
    question: 'Deploy the gateway, compute points, watch it, and repair it.',
    links: [
      ['Operator guide', '/docs/operator'],
      ['Commands and settings', '/docs/cli'],
      ['Runbook', '/docs/runbook'],
    ],
  },
  {
    name: 'Developer',
    question: 'A whole page in one GraphQL request, live updates, and a typed client.',
    links: [
      ['Build a page', '/docs/dashboard-developer'],
      ['Try a query', '/graphql'],
      ['REST endpoints', '/docs/rest'],
    ],
  },
]

const card = ({ name, question, links }: Role) => `<section>
<h2>${name}</h2>
<p>${question}</p>
<ul>${links.map(([text, href]) => `<li><a href="${href}">${text}</a></li>`).join('')}</ul>
</section>`

/** The first page: a card for each role, and a first query. */
export const homePage: Page = {
  path: '',
  title: 'Documentation',
  file: undefined,
  content: `<h1>Start here</h1>
<p>One graph joins two sets of data about the users of a lending protocol: their positions in markets and vaults,
and their points. The dashboard, GraphiQL and the REST endpoints read it. Choose what you came for:</p>
<div class="cards">
${ROLES.map(card).join('\n')}
</div>
<h2>A first query</h2>
<p>Copy it into a shell. It needs no key.</p>
<pre><code class="language-sh">curl -s http://127.0.0.1:4000/graphql -H 'content-type: application/json' \\
  -d '{"query":"{ leaderboard(first: 3) { nodes { rank points userAddress } } }"}'
</code></pre>
<p>The same in GraphiQL:</p>
<pre><code class="language-graphql">{
  leaderboard(first: 3) { nodes { rank points userAddress } }
}
</code></pre>
<h2>The dashboard</h2>
<p><a href="/dashboard"><img src="src/docs/images/dashboard-overview.png" alt="The dashboard: the program, its leaders, its largest pools and its search"></a></p>
<p>The <a href="/docs/start">introduction</a> explains the product in five minutes: its doors, one question across both
sets of data, and one number with its origin.</p>`,
}
