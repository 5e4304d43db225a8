import { type DocumentNode, Kind, print, visit } from 'graphql'

/** The text of an endpoint's operation as a client can send it, without the directives that only shape REST rows. */
export const operationText = (document: DocumentNode): string =>
  print(
    visit(document, {
      [Kind.DIRECTIVE]: ({ name }) => (['flat', 'midnight', 'number'].includes(name.value) ? null : undefined),
    }),
  )
