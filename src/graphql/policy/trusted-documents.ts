import { readFileSync } from 'node:fs'
import { idOfDocument } from './documents.ts'

/**
 * Reads a file of trusted documents: a JSON object of texts by id, which is `sha256:` and the
 * SHA-256 of the text.
 * @throws Error that says what is wrong with the file
 */
export function readTrustedDocuments(path: string): string[] {
  const read = readJson(path)
  if (typeof read !== 'object' || read === null || Array.isArray(read))
    throw new Error(`of ${path} ${SHAPE}`)
  return Object.entries(read).map(([id, text]) => {
    if (typeof text !== 'string') throw new Error(`of ${path} ${SHAPE}: ${id} has no text`)
    const right = idOfDocument(text)
    if (id !== right) throw new Error(`of ${path} has ${id} for a document whose id is ${right}`)
    return text
  })
}

const SHAPE = 'must be a JSON object such as {"sha256:<hash of the text>": "query Name { ... }"}'

function readJson(path: string): unknown {
  let content: string
  try {
    content = readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`names ${path}, which cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
  try {
    return JSON.parse(content)
  } catch {
    throw new Error(`of ${path} ${SHAPE}: it is not JSON`)
  }
}
