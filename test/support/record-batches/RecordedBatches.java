import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.ControlRecordType;
import org.apache.kafka.common.record.DefaultRecordBatch;
import org.apache.kafka.common.record.EndTransactionMarker;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.MemoryRecordsBuilder;
import org.apache.kafka.common.record.TimestampType;

/**
 * Prints recorded-batches.json: batches as Kafka's own classes write them, with the records that are in them.
 * Compile and run with kafka-clients 4.1.1 and its codecs on the class path.
 */
public class RecordedBatches {
    static final long NOW = 1_700_000_000_000L;
    static final long PRODUCER = 77;

    public static void main(String[] args) {
        List<String> parts = new java.util.ArrayList<>();
        for (boolean random : new boolean[] {false, true})
            for (String codec : List.of("none", "gzip", "snappy", "lz4", "zstd"))
                parts.add(entry(codec + (random ? "Random" : "Runs"), data(codec, random)));
        parts.add(entry("logAppendTime", logAppendTime()));
        parts.add(entry("deleteHorizon", deleteHorizon()));
        parts.add(entry("oddTimestamps", oddTimestamps()));
        parts.add(entry("abortMarker", marker(ControlRecordType.ABORT)));
        parts.add(entry("commitMarker", marker(ControlRecordType.COMMIT)));
        parts.add(entry("empty", empty()));
        parts.add(entry("magic1", old((byte) 1)));
        parts.add(entry("magic0", old((byte) 0)));
        System.out.println("{\n" + String.join(",\n", parts) + "\n}");
    }

    /** Keys, values, headers, nulls, empty values, timestamps out of order; compressible and not. */
    static MemoryRecords data(String codec, boolean random) {
        MemoryRecordsBuilder builder = builder((byte) 2, CompressionType.forName(codec), TimestampType.CREATE_TIME);
        Random chance = new Random(4);
        for (int i = 0; i < (random ? 40 : 100); i++) {
            byte[] value = i % 11 == 10 ? null : new byte[chance.nextInt(random ? 60 : 200)];
            if (value != null && random) chance.nextBytes(value);
            else if (value != null) Arrays.fill(value, (byte) ('a' + i % 26));
            Header[] headers = i % 5 != 4 ? new Header[0] : new Header[] {
                new RecordHeader("h" + i, i % 2 == 0 ? null : ("v" + i).getBytes(StandardCharsets.UTF_8)),
                new RecordHeader("", new byte[0])};
            builder.append(NOW + (i * 7919 % 1000) - 500, i % 7 == 6 ? null : key(i), value, headers);
        }
        return builder.build();
    }

    static MemoryRecords logAppendTime() {
        MemoryRecordsBuilder builder = builder((byte) 2, CompressionType.NONE, TimestampType.LOG_APPEND_TIME);
        for (int i = 0; i < 3; i++) builder.append(NOW - i, key(i), key(i));
        return builder.build();
    }

    /** Compaction keeps a tombstone's horizon in the batch's base timestamp. */
    static MemoryRecords deleteHorizon() {
        ByteBuffer buffer = ByteBuffer.allocate(10_000);
        MemoryRecordsBuilder builder = new MemoryRecordsBuilder(new org.apache.kafka.common.utils.ByteBufferOutputStream(buffer),
            (byte) 2, Compression.NONE, TimestampType.CREATE_TIME, 1000, NOW, PRODUCER, (short) 3, 0, true, false, 5, 10_000,
            NOW + 86_400_000L);
        builder.appendWithOffset(1003, NOW, key(1), null);
        builder.appendWithOffset(1007, NOW + 5, key(2), null);
        return builder.build();
    }

    static MemoryRecords oddTimestamps() {
        MemoryRecordsBuilder builder = builder((byte) 2, CompressionType.NONE, TimestampType.CREATE_TIME);
        for (long timestamp : new long[] {0, -1, NOW, 1, (1L << 53) - 1, -1}) builder.append(timestamp, key(0), new byte[0]);
        return builder.build();
    }

    static MemoryRecords marker(ControlRecordType type) {
        return MemoryRecords.withEndTransactionMarker(1000, NOW, 5, PRODUCER, (short) 3, new EndTransactionMarker(type, 9));
    }

    static MemoryRecords empty() {
        ByteBuffer buffer = ByteBuffer.allocate(DefaultRecordBatch.RECORD_BATCH_OVERHEAD);
        DefaultRecordBatch.writeEmptyHeader(buffer, (byte) 2, PRODUCER, (short) 3, 40, 1000, 1041, 5,
            TimestampType.CREATE_TIME, NOW, true, false);
        buffer.flip();
        return MemoryRecords.readableRecords(buffer);
    }

    static MemoryRecords old(byte magic) {
        MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(10_000), magic, Compression.NONE,
            TimestampType.CREATE_TIME, 1000);
        builder.append(NOW, key(1), key(2));
        return builder.build();
    }

    static MemoryRecordsBuilder builder(byte magic, CompressionType codec, TimestampType timestamps) {
        return MemoryRecords.builder(ByteBuffer.allocate(1 << 20), magic, Compression.of(codec).build(), timestamps, 1000, NOW,
            PRODUCER, (short) 3, 0, true, 5);
    }

    static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    static String entry(String name, MemoryRecords records) {
        StringBuilder text = new StringBuilder("\"" + name + "\":{\"bytes\":" + base64(records.buffer()) + ",\"records\":[");
        String separator = "";
        for (org.apache.kafka.common.record.Record record : records.records()) {
            text.append(separator).append("[").append(record.offset()).append(",").append(record.timestamp()).append(",");
            text.append(base64(record.key())).append(",").append(base64(record.value())).append(",[");
            separator = "";
            for (Header header : record.headers()) {
                text.append(separator).append("[\"").append(header.key()).append("\",");
                text.append(header.value() == null ? "null" : base64(ByteBuffer.wrap(header.value()))).append("]");
                separator = ",";
            }
            text.append("]]");
            separator = ",";
        }
        return text + "]}";
    }

    static String base64(ByteBuffer bytes) {
        if (bytes == null) return "null";
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return "\"" + Base64.getEncoder().encodeToString(copy) + "\"";
    }
}
