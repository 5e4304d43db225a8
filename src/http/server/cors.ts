/** What browsers may do from any origin: read and ask, without credentials. */
export const CORS = {
  origin: '*',
  methods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
  exposedHeaders: ['request-id', 'etag', 'link'],
  maxAge: 86_400,
  strictPreflight: false,
}

/** The headers of an answer to a request that needs no leave, as names and values. */
export const corsHeaders = [
  ['access-control-allow-origin', CORS.origin],
  ['access-control-expose-headers', CORS.exposedHeaders.join(', ')],
].flat()
