import { DATA_VERSION } from '../exchange.ts'

/** Any origin may send requests, without credentials. */
export const CORS = {
  origin: '*',
  methods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
  exposedHeaders: [
    ...['request-id', 'etag', 'link', DATA_VERSION],
    ...['retry-after', 'ratelimit', 'ratelimit-policy', 'content-range'],
  ],
  maxAge: 86_400,
  strictPreflight: false,
}

/** The headers of an answer to a request without preflight, as names and values. */
export const corsHeaders: string[] = [
  ['access-control-allow-origin', CORS.origin],
  ['access-control-expose-headers', CORS.exposedHeaders.join(', ')],
].flat()
