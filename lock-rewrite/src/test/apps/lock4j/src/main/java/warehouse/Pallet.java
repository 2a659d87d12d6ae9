package warehouse;

public record Pallet(String hall, long id) {}
