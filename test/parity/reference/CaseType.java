import com.fasterxml.jackson.databind.JsonNode;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.kstream.WindowedSerdes;

/** What a key or value is: text or a number, in a window or not. A windowed key without size is that of a session. */
record CaseType(boolean isLong, boolean isWindowed, Long windowSizeMs) {
  static final CaseType STRING = new CaseType(false, false, null);
  static final CaseType LONG = new CaseType(true, false, null);

  static CaseType of(JsonNode name) {
    return name != null && name.asText().equals("long") ? LONG : STRING;
  }

  CaseType inWindows(Long sizeMs) {
    return new CaseType(isLong, true, sizeMs);
  }

  CaseType unwindowed() {
    return isLong ? LONG : STRING;
  }

  /** Serdes are untyped here: the case's data says which types meet. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  Serde<Object> serde() {
    Serde inner = isLong ? Serdes.Long() : Serdes.String();
    if (!isWindowed) return inner;
    if (windowSizeMs == null) return (Serde) new WindowedSerdes.SessionWindowedSerde<>(inner);
    return (Serde) new WindowedSerdes.TimeWindowedSerde<>(inner, windowSizeMs);
  }
}
