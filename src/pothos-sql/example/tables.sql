CREATE TABLE author (id int PRIMARY KEY, name text NOT NULL, born date);
CREATE TABLE publisher (id int PRIMARY KEY, name text NOT NULL, city text);
CREATE TABLE book (
  id int PRIMARY KEY,
  author_id int NOT NULL REFERENCES author,
  publisher_id int REFERENCES publisher,
  title text NOT NULL,
  pages int NOT NULL,
  rating float,
  published date NOT NULL
);
CREATE INDEX ON book (author_id, published DESC, id);
CREATE TABLE review (
  id int PRIMARY KEY,
  book_id int NOT NULL REFERENCES book,
  stars int NOT NULL,
  quote text
);
CREATE INDEX ON review (book_id, id);
CREATE TABLE book_tag (
  book_id int NOT NULL REFERENCES book,
  name text NOT NULL,
  PRIMARY KEY (book_id, name)
);

INSERT INTO author SELECT n, 'Author ' || n,
  CASE WHEN n % 4 > 0 THEN date '1900-01-01' + n * 137 END
FROM generate_series(1, 12) n;
INSERT INTO publisher SELECT n, 'House "' || n || '"', CASE WHEN n > 1 THEN 'City ' || n END
FROM generate_series(1, 3) n;
INSERT INTO book SELECT n, 1 + n % 11, nullif(n % 4, 0), 'Book ' || n, 50 + n * 37 % 400,
  CASE WHEN n % 5 > 0 THEN n / 7.0 END, date '2001-01-01' + n * 61 % 900
FROM generate_series(1, 120) n;
INSERT INTO review SELECT n, 1 + n * 7 % 90, 1 + n % 5, CASE WHEN n % 3 > 0 THEN 'Quote ' || n END
FROM generate_series(1, 400) n;
INSERT INTO book_tag SELECT n, name FROM generate_series(1, 120) n,
  unnest(ARRAY['new', 'long', 'old']) WITH ORDINALITY AS tag(name, i) WHERE n % (i + 1) = 0;
