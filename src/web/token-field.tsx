import { useAdminToken } from './admin-token.ts'

/** Asks for the admin token. */
export const TokenField = () => (
  <label>
    Admin token
    <input
      name="token"
      type="password"
      autoComplete="off"
      defaultValue={useAdminToken()}
      maxLength={1000}
      required
    />
  </label>
)
