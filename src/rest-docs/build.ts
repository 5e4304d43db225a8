import { buildPage } from '../build/page.ts'

/** Builds dist/rest-docs: Swagger UI on the OpenAPI document. */
export const buildRestDocs = () => buildPage({ room: 'rest-docs', url: '/docs/rest' })
