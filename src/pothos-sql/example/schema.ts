import SchemaBuilder from '@pothos/core'
import RelayPlugin from '@pothos/plugin-relay'
import { resolveInTurns } from '../host.ts'
import {
  defineLookup,
  listing,
  listTypes,
  lookupIn,
  type RowOf,
  type SqlContext,
  sql,
  sqlColumns,
  sqlFields,
} from '../index.ts'

/** A library: authors, their books, the publishers, reviews and tags of books. */
interface Types {
  Context: SqlContext
  Scalars: {
    BigInt: { Input: bigint; Output: bigint | string }
    Date: { Input: Date; Output: Date }
    DateTime: { Input: Date; Output: Date }
  }
  DefaultFieldNullability: false
  DefaultEdgesNullability: { list: false; items: false }
  DefaultNodeNullability: false
  Connection: { totalCount: () => Promise<number> | number }
}

/** The type has options that plugins of other schemas require. */
type SchemaBuilderOptions = ConstructorParameters<typeof SchemaBuilder<Types>>[0]

const authorColumns = sqlColumns({
  id: { sql: 't.id', type: 'int', description: 'The number of the author.' },
  name: { sql: 't.name', type: 'text', description: 'The name.', filter: true, sort: true },
  born: {
    sql: 't.born',
    type: 'date',
    nullable: true,
    description: 'The date of birth. Null if it is unknown.',
    filter: true,
    sort: true,
  },
})
const publisherColumns = sqlColumns({
  id: { sql: 't.id', type: 'int', description: 'The number of the publisher.' },
  name: { sql: 't.name', type: 'text', description: 'The name.' },
  city: { sql: 't.city', type: 'text', nullable: true },
})
const bookColumns = sqlColumns({
  id: { sql: 't.id', type: 'int', description: 'The number of the book.' },
  authorId: { sql: 't.author_id', type: 'int' },
  publisherId: { sql: 't.publisher_id', type: 'int', nullable: true },
  title: { sql: 't.title', type: 'text', description: 'The title.', filter: true, sort: true },
  pages: { sql: 't.pages', type: 'int', description: 'Its length.', filter: true, sort: true },
  hours: {
    derived: (column) => `${column('pages')} / 30::float8`,
    type: 'float',
    description: 'How long it takes to read.',
  },
  rating: {
    sql: 't.rating',
    type: 'float',
    nullable: true,
    description: 'The rating of the critics. Null without one.',
    filter: true,
    sort: true,
  },
  published: {
    sql: 't.published',
    type: 'date',
    description: 'When it was published.',
    filter: true,
  },
})
const reviewColumns = sqlColumns({
  id: { sql: 't.id', type: 'int', description: 'The number of the review.' },
  bookId: { sql: 't.book_id', type: 'int' },
  stars: { sql: 't.stars', type: 'int', description: '1 to 5.', filter: true, sort: true },
  quote: { sql: 't.quote', type: 'text', nullable: true, description: 'Its best sentence.' },
})
const tagColumns = sqlColumns({
  name: { sql: 't.name', type: 'text', description: 'The name of the tag.' },
})

const authors = listing({
  name: 'authors',
  from: sql`author t`,
  columns: authorColumns,
  order: { id: 'ASC' },
})
const books = listing({
  name: 'books',
  from: sql`book t`,
  columns: bookColumns,
  order: { published: 'DESC', id: 'ASC' },
})
const reviews = listing({
  name: 'reviews',
  from: sql`review t`,
  columns: reviewColumns,
  order: { id: 'ASC' },
})

const authorAt = lookupIn(authors, 'id')
const bookAt = lookupIn(books, 'id')
const publisherAt = defineLookup({
  columns: publisherColumns,
  types: ['int'],
  at: (id) => sql`FROM publisher t WHERE t.id = ${id}`,
})

export function createSchema() {
  const options: Partial<SchemaBuilderOptions> = {
    plugins: [RelayPlugin],
    defaultFieldNullability: false,
    relay: {
      nodesOnConnection: true,
      cursorType: 'String',
      edgesFieldOptions: { nullable: { list: false, items: false } },
      nodeFieldOptions: { nullable: false },
    },
  }
  const builder = new SchemaBuilder<Types>(options as SchemaBuilderOptions)
  builder.scalarType('BigInt', { serialize: String, parseValue: (value) => BigInt(`${value}`) })
  builder.scalarType('Date', {
    serialize: (value) => value.toISOString().slice(0, 10),
    parseValue: (value) => new Date(`${value}`),
  })
  builder.scalarType('DateTime', { serialize: String, parseValue: (value) => new Date(`${value}`) })
  builder.queryType({})
  builder.globalConnectionField('totalCount', (t) =>
    t.int({ resolve: (connection) => connection.totalCount() }),
  )

  const Author = builder.objectRef<RowOf<typeof authorColumns>>('Author')
  const Publisher = builder.objectRef<RowOf<typeof publisherColumns>>('Publisher')
  const Book = builder.objectRef<RowOf<typeof bookColumns>>('Book')
  const Review = builder.objectRef<RowOf<typeof reviewColumns>>('Review')
  const Tag = builder.objectRef<RowOf<typeof tagColumns>>('Tag')
  const Place = builder.objectRef<{ city: string | null }>('Place')
  listTypes(builder, Author, authors)
  listTypes(builder, Book, books)
  listTypes(builder, Review, reviews)

  Author.implement({
    fields: (t) => ({
      ...sqlFields.columns(t, authorColumns),
      books: t.field({
        ...sqlFields.list(t.arg, 'Book', {
          listing: () => books,
          owner: sqlFields.ownedBy(books, { authorId: 'id' }),
        }),
      }),
    }),
  })
  Place.implement({ fields: (t) => ({ city: t.exposeString('city', { nullable: true }) }) })
  Publisher.implement({
    fields: (t) => ({
      ...sqlFields.columns(t, publisherColumns),
      place: t.field({ type: Place, ...sqlFields.embedded({ city: 'city' }) }),
    }),
  })
  Tag.implement({ fields: (t) => sqlFields.columns(t, tagColumns) })
  Book.implement({
    fields: (t) => ({
      ...sqlFields.columns(t, bookColumns),
      author: t.field({ type: Author, ...sqlFields.lookup(authorAt, ['authorId']) }),
      publisher: t.field({
        type: Publisher,
        nullable: true,
        ...sqlFields.lookup(publisherAt, ['publisherId']),
      }),
      isLong: t.boolean({
        ...sqlFields.declare({
          kind: 'sql',
          type: 'boolean',
          sql: (column) => `${column('pages')} > 300`,
        }),
        resolve: ({ pages }) => pages > 300,
      }),
      tags: t.field({
        ...sqlFields.list(t.arg, 'Tag', {
          columns: tagColumns,
          by: ['id'],
          types: ['int'],
          order: ['name'],
          from: (_, book) => sql`FROM book_tag t WHERE t.book_id = ${book}`,
        }),
      }),
      reviews: t.field({
        ...sqlFields.list(t.arg, 'Review', {
          listing: () => reviews,
          owner: sqlFields.ownedBy(reviews, { bookId: 'id' }),
        }),
      }),
      // A field without SQL: a query that selects it has no plan.
      shout: t.string({ resolve: ({ title }) => title.toUpperCase() }),
    }),
  })
  Review.implement({
    fields: (t) => ({
      ...sqlFields.columns(t, reviewColumns),
      book: t.field({ type: Book, ...sqlFields.lookup(bookAt, ['bookId']) }),
    }),
  })
  builder.queryFields((t) => ({
    authors: t.field({ ...sqlFields.list(t.arg, 'Author', { listing: () => authors }) }),
    books: t.field({ ...sqlFields.list(t.arg, 'Book', { listing: () => books }) }),
    book: t.field({
      type: Book,
      nullable: true,
      args: { id: t.arg.int({ required: true }) },
      ...sqlFields.lookup(bookAt, ['id']),
    }),
  }))
  return resolveInTurns(builder.toSchema())
}
