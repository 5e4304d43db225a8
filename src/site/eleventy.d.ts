/** The part of Eleventy that the site uses. It has no types. */
declare module '@11ty/eleventy' {
  interface Config {
    setUseGitIgnore(use: boolean): void
    setIncludesDirectory(directory: string): void
    setLibrary(extension: string, library: { render(text: string): string }): void
    setTemplateFormats(formats: string[]): void
    addTemplate(path: string, content: string, data: object): void
  }
  export default class Eleventy {
    constructor(
      input: string,
      output: string,
      options: { quietMode?: boolean; config?(config: Config): void },
    )
    toJSON(): Promise<{ outputPath: string; content: string }[]>
  }
}
