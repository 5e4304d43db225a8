/** The prefix of the gateway's paths: the script is at PREFIX/graphql/assets. */
const basePath = new URL('../..', import.meta.url).pathname.slice(0, -1)

/** The URL of one of the gateway's paths. */
export const served = (path: string) => basePath + path
