import { Transform } from 'node:stream'
import { GatewayError } from '../errors.ts'

/** A body that has more bytes than it may. */
export class TooLarge extends GatewayError {
  constructor(maxBytes: number) {
    super(
      'BAD_INPUT',
      `The files have more than ${maxBytes.toLocaleString('en-US')} bytes, also decompressed ` +
        '(IMPORT_MAX_BYTES); nothing was imported.',
    )
  }
}

/** A stream that fails when more bytes than a number have passed all of its kind. */
export function boundBytes(maxBytes: number): () => Transform {
  let bytes = 0
  return () =>
    new Transform({
      transform(chunk: Buffer, _, done) {
        bytes += chunk.length
        if (bytes > maxBytes) done(new TooLarge(maxBytes))
        else done(null, chunk)
      },
    })
}
