import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'
import { bar, HEAD } from '../web/brand/header.ts'
import { ROOT, unlessFresh } from './fresh.ts'

interface PageBuild {
  room: string
  url: string
  from?: string[]
  options?: BuildOptions
}

/**
 * Builds a page for browsers: dist/ROOM has page.html and, in `assets`, one style sheet, the script
 * and the parts that it loads later, named by their contents and compressed.
 */
export const buildPage = (page: PageBuild): Promise<void> =>
  unlessFresh(page.room, [`src/${page.room}`, 'src/web/brand', ...(page.from ?? [])], () =>
    make(page),
  )

async function make({ room, url, options }: PageBuild): Promise<string[]> {
  const directory = join(ROOT, 'dist', room)
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    write: false,
    metafile: true,
    entryPoints: [`src/${room}/page.tsx`, `src/${room}/page.css`],
    outdir: `dist/${room}/assets`,
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.woff2': 'file' },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    logLevel: 'warning',
    ...options,
  })
  await rm(directory, { recursive: true, force: true })
  await mkdir(join(directory, 'assets'), { recursive: true })
  const template = await readFile(join(ROOT, 'src', room, 'page.html'), 'utf8')
  let html = template.replace('<!-- head -->', HEAD).replace('<!-- bar -->', bar(url))
  const script = Object.values(metafile?.outputs ?? {}).find(({ entryPoint }) =>
    entryPoint?.endsWith('/page.tsx'),
  )
  const parts = script?.imports.filter(({ kind }) => kind === 'import-statement') ?? []
  const preloads = parts.map(
    ({ path }) => `<link rel="modulepreload" href="${url}/assets/${basename(path)}">`,
  )
  html = html.replace('<!-- parts -->', preloads.join('\n'))
  for (const { path, contents } of outputFiles ?? []) {
    await writeFile(path, contents)
    // Fonts are compressed already.
    if (path.endsWith('.woff2')) {
      html = html.replaceAll('FONT', `${url}/assets/${basename(path)}`)
      continue
    }
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }
    await writeFile(`${path}.br`, await promisify(brotliCompress)(contents, quality))
    await writeFile(`${path}.gz`, await promisify(gzip)(contents, { level: 9 }))
    // Other scripts are parts that the page's one imports.
    const name = basename(path)
    if (name.startsWith('page-'))
      html = html.replaceAll(name.endsWith('.js') ? 'SCRIPT' : 'STYLE', `${url}/assets/${name}`)
  }
  await writeFile(join(directory, 'page.html'), html)
  return [`dist/${room}`]
}
