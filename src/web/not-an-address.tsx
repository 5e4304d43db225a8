/** Explains the form of an address. */
export const NotAnAddress = ({ text }: { text: string }) => (
  <p className="fault" role="alert">
    “{text}” is not an address: it needs 0x and 40 hexadecimal digits. Search finds pools, markets
    and vaults by name.
  </p>
)
