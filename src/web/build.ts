import { buildPage } from '../build/page.ts'

/** Builds dist/web: the dashboard, with the typed client from its source. */
export const buildDashboard = () =>
  buildPage({
    room: 'web',
    url: '/dashboard',
    from: ['src/formula.ts', 'src/client', 'src/generated/client'],
    options: { alias: { 'lending-graph-client': './src/client/client.ts' } },
  })
