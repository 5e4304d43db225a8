/** Tests of what is large run at full size with TESTS=long. */
export const LONG = process.env.TESTS === 'long'
