/**
 * Seals secrets for storage and derives keyed hashes. A sealed text opens only for the place for which it was sealed.
 */
export interface Vault {
  /** `place` names the row and its property, such as `source/<uid>/api_token`. */
  seal(place: string, plain: string): string
  /**
   * @throws AppError `unavailable`, reason `secret_unreadable`, when the key is lost or the text was moved or changed.
   */
  open(place: string, sealed: string): string
  /** The key for fingerprints of findings; derived, stable for the life of the data folder. */
  fingerprintKey(): Uint8Array
}
