/** The prefix of the gateway's paths: the script is at PREFIX/docs/rest/assets. */
export const basePath = new URL('../../..', import.meta.url).pathname.slice(0, -1)
