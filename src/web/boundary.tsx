import { Component, type ReactNode } from 'react'

/** Shows a sentence where a view fails to render, so that the menu around it still works. */
export class Boundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children
    return (
      <div className="fault" role="alert">
        <p>
          This page cannot show what the gateway answered. Reload it: the gateway may have a newer
          version.
        </p>
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    )
  }
}
