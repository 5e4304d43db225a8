/** The part of Swagger UI that this page uses. Its package has no types of its bundle. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export default function SwaggerUI(options: {
    spec: object
    dom_id: string
    deepLinking: boolean
    docExpansion: 'list'
    tryItOutEnabled: boolean
    validatorUrl: null
    plugins: (() => object)[]
  }): void
}
